package stackweave.hotspot.search;

import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.frame.Walk;
import stackweave.unwind.Architecture;
import stackweave.unwind.Registers;
import stackweave.unwind.hash.LongTable;
import stackweave.unwind.walk.Found;
import stackweave.unwind.walk.NativeUnwinder;

/**
 * The return address of a blocked thread that was read from outside, where its innermost function
 * keeps it in the link register: the kernel shows pc and sp only. That function has nothing on the
 * stack, so the nearest return address there is the one of its caller; the call before it says
 * which function the caller is, and the caller's code where it calls the innermost one. Where one
 * of these calls is by a pointer, nothing is found. Bounded; not thread-safe.
 */
public final class UnknownLinkRegister {
  /** How far up the return address of the caller may lie. */
  private static final int MAX_WORDS = 64;

  /** How much of a caller is read, in bytes: far more than functions that wait have. */
  private static final int MAX_CALLER_BYTES = 1 << 13;

  private static final int INSTRUCTION = 4;

  private static final int FIRST_CALLERS = 1 << 4;
  private static final int MAX_CALLERS = 1 << 10;

  private final NativeUnwinder natives;
  private final NativeCalls calls = new NativeCalls();
  private final Registers tried;

  /** By where the caller begins. */
  private final LongTable<Calls> callers = new LongTable<>(FIRST_CALLERS, MAX_CALLERS);

  private int generation;

  /**
   * How a caller calls a function.
   *
   * @param called where the called function begins
   * @param first return address of the first such call; 0 if there is none
   * @param only whether there is no other
   */
  private record Calls(long called, long first, boolean only) {}

  /** One with empty caches. */
  public UnknownLinkRegister(NativeUnwinder natives) {
    this.natives = natives;
    this.tried = new Registers(natives.rules().architecture());
  }

  /**
   * Finds the return address of the native frame at hand, if that is the innermost one and its rule
   * needs the link register, which is known in samples of threads that ran.
   *
   * @return whether the walk has it now, and the frame pointer where the caller needs that
   */
  public boolean find(Walk walk) {
    Architecture architecture = walk.registers().architecture();
    boolean isAsked =
        walk.cpu().callBytes == 0
            && walk.frames().count() == 1
            && walk.interrupted()
            && !walk.registers().isKnown(architecture.ra());
    if (!isAsked) {
      return false;
    }
    long called = NativeCalls.functionStart(walk, walk.pc());
    long slot = called == 0 ? 0 : nearestReturnAddress(walk);
    long caller = slot == 0 ? 0 : calls.function(walk, walk.peekReturnAddress(slot));
    if (caller == 0) {
      return false;
    }
    Calls found = calls(walk, caller, called);
    if (found.first == 0 || !leadsTo(walk, found.first, slot)) {
      return false;
    }
    if (!found.only) {
      walk.frames().setFoundOfNext(Found.SEARCH);
      walk.countGuess();
    }
    return true;
  }

  private static long nearestReturnAddress(Walk walk) {
    for (int i = 0; i < MAX_WORDS; i++) {
      long slot = walk.sp() + (long) i * Cpu.WORD;
      long pc = walk.peekReturnAddress(slot);
      if (pc != 0 && walk.isReturnAddress(pc)) {
        return slot;
      }
    }
    return 0;
  }

  private Calls calls(Walk walk, long caller, long called) {
    if (generation != walk.modules().generation()) {
      generation = walk.modules().generation();
      callers.clear();
    }
    Calls known = callers.get(caller);
    if (known == null || known.called != called) {
      known = read(walk, caller, called);
      callers.put(caller, known);
    }
    return known;
  }

  private Calls read(Walk walk, long caller, long called) {
    long first = 0;
    long end = caller + MAX_CALLER_BYTES;
    for (long call = caller;
        call < end && NativeCalls.functionStart(walk, call) == caller;
        call += INSTRUCTION) {
      long next = call + INSTRUCTION;
      if (calls.function(walk, next) == called) {
        if (first != 0) {
          return new Calls(called, first, false);
        }
        first = next;
      }
    }
    return new Calls(called, first, true);
  }

  /**
   * Whether the caller, waiting for that call, has its own return address in a slot, by its unwind
   * information. Then the registers that lead there are the walk's.
   */
  private boolean leadsTo(Walk walk, long pc, long slot) {
    Registers registers = walk.registers();
    int link = registers.architecture().ra();
    registers.set(link, pc);
    if (leads(walk, slot)) {
      return true;
    }
    // It may need its frame pointer, which its callees have left as it was.
    walk.setFp(slot - Cpu.RETURN_ADDRESS);
    if (leads(walk, slot)) {
      return true;
    }
    registers.forget(registers.architecture().fp());
    registers.forget(link);
    return false;
  }

  private boolean leads(Walk walk, long slot) {
    tried.copyFrom(walk.registers());
    return natives.step(tried, true, walk.stack(), walk.modules()) == null
        && natives.step(tried, false, walk.stack(), walk.modules()) == null
        && tried.pc() == walk.peekReturnAddress(slot)
        && tried.sp() > slot;
  }
}
