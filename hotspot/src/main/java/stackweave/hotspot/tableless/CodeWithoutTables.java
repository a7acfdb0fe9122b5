package stackweave.hotspot.tableless;

import stackweave.hotspot.cpu.CallerRule;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.ForwardAnalysis;
import stackweave.hotspot.cpu.StackDepth;
import stackweave.hotspot.frame.CallerStep;
import stackweave.hotspot.frame.Callers;
import stackweave.hotspot.frame.Walk;
import stackweave.hotspot.model.Found;
import stackweave.hotspot.model.UnwindCounters;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.hash.LongTable;
import stackweave.unwind.walk.CodeModule;
import stackweave.unwind.walk.NativeUnwinder;

/**
 * Finds the caller of native code without unwind information: hand-written assembly, what other
 * runtimes generate, code around system calls, a thread's first instructions. Called by the mixed
 * unwinder where the native unwinder found no rule; the ways are tried in the order of trust, and
 * each caller is marked with the one that led to it. Not thread-safe.
 */
public final class CodeWithoutTables {
  /** Longest way from the clone3 call to the first instruction that has unwind information. */
  private static final int CLONE_WINDOW = 32;

  private static final int STATES = 1 << 12;

  /**
   * What is farther up than any frame is long is no frame pointer, but data of code without one.
   */
  private static final long MAX_FRAME_BYTES = 8L << 20;

  private final NativeUnwinder natives;
  private final Callers callers;
  private final UnwindCounters counters;
  private final byte[] code = new byte[CLONE_WINDOW];
  private final StackDepth stackDepth;
  private final byte[] functionCode = new byte[StackDepth.MAX_CODE_BYTES];
  private final LongTable<StackDepth.State> states = new LongTable<>(STATES);

  /** Null where this processor's code is not read, or callers can't be told. */
  private final CallerRules rules;

  private final CallerStep callerStep;
  private int generation;

  /**
   * @param callers null where HotSpot is not understood: any caller may be its then, so that none
   *     is looked for
   * @param cpu null where this processor's code is not known
   */
  public CodeWithoutTables(
      NativeUnwinder natives, Callers callers, Cpu cpu, UnwindCounters counters) {
    this.natives = natives;
    this.callers = callers;
    this.counters = counters;
    this.stackDepth = cpu == null ? null : cpu.stackDepth();
    ForwardAnalysis analysis = cpu == null || callers == null ? null : cpu.forwardAnalysis();
    this.rules =
        analysis == null ? null : new CallerRules(analysis, new WrongTables(natives.rules(), cpu));
    this.callerStep = new CallerStep(callers, natives.rules().architecture());
  }

  /**
   * Makes the caller the frame at hand by the code, where the tables contradict it: by the straight
   * way to a return where a module's tables are right at calls only, by all ways in a function
   * whose rows are wrong. One look into a cache for all others.
   */
  public boolean toCallerBeforeTables(Walk walk) throws UnreadableMemoryException {
    CallerRule rule = rules == null ? null : rules.beforeTablesAt(walk);
    return rule != null && callerStep.toCaller(walk, rule);
  }

  /**
   * Makes the caller the frame at hand where the tables say something that can't be used, by code
   * alone, and only if that is no guess.
   */
  public boolean toCallerByCode(Walk walk) throws UnreadableMemoryException {
    return follow(walk, rules == null ? null : rules.forwardAt(walk), false);
  }

  /**
   * Makes the caller the frame at hand.
   *
   * @return null, or why there is no caller: {@link StopReason#NO_RULE} if there is no telling
   * @throws UnreadableMemoryException if what says it was not copied
   */
  public StopReason toCaller(Walk walk) throws UnreadableMemoryException {
    if (walk.cpu() == null) {
      return StopReason.NO_RULE;
    }
    return walk.interrupted() ? leaveInterrupted(walk) : leaveWaiting(walk);
  }

  /** A frame that waits for a call to return. */
  private StopReason leaveWaiting(Walk walk) throws UnreadableMemoryException {
    if (callers == null) {
      return StopReason.NO_RULE;
    }
    // Assembly in a library may have left its caller's frame pointer alone, which would skip the
    // caller; generated code, where forward ways are less certain, has frame pointers.
    boolean generated = walk.modules().find(walk.pc() - 1) == null;
    boolean there = walk.modules().isExecutable(walk.pc() - 1);
    if (generated
        && !keepsFp(walk)
        && leaveByFp(walk, there ? Found.FRAME_POINTER : Found.FRAME_POINTER_AT_LEAF)) {
      return null; // a guess where nothing is any more that may have frame pointers
    }
    CallerRule rule = rules == null ? null : rules.forwardAt(walk);
    Found byFp = generated ? Found.FRAME_POINTER_AT_LEAF : Found.FRAME_POINTER;
    boolean left = follow(walk, rule, false) || leaveByFp(walk, byFp) || follow(walk, rule, true);
    return left ? null : StopReason.NO_RULE;
  }

  /**
   * Whether generated code leaves the frame pointer alone, as its code says. Asked where it leads
   * to other code: the frame pointers of generated code itself form a chain.
   */
  private boolean keepsFp(Walk walk) {
    long pc = walk.isFpKnown() ? walk.peekReturnAddress(walk.fp() + Cpu.RETURN_ADDRESS) : 0;
    boolean elsewhere = walk.modules().find(pc - 1) != null || callers.isHotSpotReturnAddress(pc);
    CallerRule rule = elsewhere && rules != null ? rules.forwardAt(walk) : null;
    return rule != null
        && !rule.found().isGuess()
        && rule.keeps(natives.rules().architecture().fp());
  }

  private StopReason leaveInterrupted(Walk walk) throws UnreadableMemoryException {
    boolean read = readCode(walk);
    if (read && walk.cpu().code().isSystemCallBefore(code, CLONE_WINDOW) && leaveSystemCall(walk)) {
      return null;
    }
    if (read
        && walk.cpu().code().isCloneWithin(code, CLONE_WINDOW)
        && walk.valueOf(walk.cpu().systemCallResult()) == 0) {
      // The new thread, before its first frame; its creator sees its id.
      return StopReason.THREAD_ENTRY;
    }
    if (callers == null) {
      return StopReason.NO_RULE;
    }
    CallerRule rule = rules == null ? null : rules.forwardAt(walk);
    long start = functionStart(walk);
    boolean left =
        follow(walk, rule, false)
            || start != 0 && stackDepth != null && leaveFunction(walk, start)
            || follow(walk, rule, true)
            || (rules != null && isReadable(walk) ? leaveByGuessedFp(walk) : leaveByTop(walk));
    return left ? null : StopReason.NO_RULE;
  }

  /** By a rule of the code, if that is a guess or not. */
  private boolean follow(Walk walk, CallerRule rule, boolean guess)
      throws UnreadableMemoryException {
    if (rule == null || rule.found().isGuess() != guess || !callerStep.toCaller(walk, rule)) {
      return false;
    }
    counters.guessedCallers += guess ? 1 : 0;
    return true;
  }

  /** By the frame pointer, which each frame must have farther up than the one before. */
  private boolean leaveByFp(Walk walk, Found how) throws UnreadableMemoryException {
    long fp = walk.fp();
    if (!walk.isFpKnown() || !walk.isOnStack(fp) || fp - walk.sp() > MAX_FRAME_BYTES) {
      return false;
    }
    long pc = walk.cpu().returnAddress(walk.read(fp + Cpu.RETURN_ADDRESS));
    if (!callers.isExpectedCaller(walk, pc)) {
      return false;
    }
    walk.leaveByFp(pc);
    walk.frames().setFoundOfNext(how);
    counters.guessedCallers += how.isGuess() ? 1 : 0;
    return true;
  }

  /** The same where it is a guess: one that leads out of the copy is worth less than a search. */
  private boolean leaveByGuessedFp(Walk walk) {
    try {
      return leaveByFp(walk, Found.FRAME_POINTER_AT_LEAF);
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }

  /**
   * A system call that does not return, such as the one that ends a signal handler: the pc is that
   * behind the instruction, where no function is any more.
   */
  private boolean leaveSystemCall(Walk walk) {
    if (natives.step(walk.registers(), false, walk.stack(), walk.modules()) != null) {
      return false;
    }
    walk.setInterrupted(natives.callerInterrupted());
    return true;
  }

  private boolean readCode(Walk walk) {
    try {
      walk.stack().code().read(walk.pc() - CLONE_WINDOW, code, 0, CLONE_WINDOW);
      return true;
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }

  private boolean isReadable(Walk walk) {
    try {
      walk.stack().code().read(walk.pc(), code, 0, 1);
      return true;
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }

  private static long functionStart(Walk walk) {
    CodeModule module = walk.modules().find(walk.pc());
    return module == null ? 0 : module.functionStart(walk.pc());
  }

  /**
   * Hand-written assembly that has a symbol but says nothing of its frame: how deep that is, the
   * code itself says.
   */
  private boolean leaveFunction(Walk walk, long start) throws UnreadableMemoryException {
    StackDepth.State state = stateAt(walk, start);
    if (state == null) {
      return false;
    }
    long slot = walk.sp() + state.depth();
    long pc = walk.peekReturnAddress(slot);
    if (!callers.isCaller(walk, pc)) {
      return false;
    }
    restore(walk, state, slot);
    walk.popTo(pc, slot + Cpu.WORD);
    walk.frames().setFoundOfNext(Found.FROM_START);
    return true;
  }

  private static void restore(Walk walk, StackDepth.State state, long slot)
      throws UnreadableMemoryException {
    int[] slots = state.slots();
    for (int register = 0; register < slots.length; register++) {
      if (slots[register] == StackDepth.UNKNOWN) {
        walk.registers().forget(register);
      } else if (slots[register] > 0 && slots[register] <= state.depth()) {
        long saved = slot - slots[register];
        walk.registers().set(register, walk.readSaved(saved), saved);
      }
    }
  }

  private StackDepth.State stateAt(Walk walk, long start) {
    if (generation != walk.modules().generation()) {
      generation = walk.modules().generation();
      states.clear();
    }
    StackDepth.State known = states.get(walk.pc());
    if (known != null) {
      return known;
    }
    StackDepth.State state = computed(walk, start);
    if (state != null) {
      states.put(walk.pc(), state);
    }
    return state;
  }

  private StackDepth.State computed(Walk walk, long start) {
    long pc = walk.pc();
    // Less near the end of what is mapped.
    for (int length = StackDepth.MAX_CODE_BYTES; length > pc - start; length /= 2) {
      try {
        walk.stack().code().read(start, functionCode, 0, length);
        return stackDepth.at(functionCode, length, (int) (pc - start));
      } catch (UnreadableMemoryException e) {
        continue;
      }
    }
    return null;
  }

  /**
   * A call of an address where nothing is, or, where code is not read, assembly such as libjvm's
   * copy loops: it has pushed nothing if a return address is where a call leaves it.
   */
  private boolean leaveByTop(Walk walk) {
    try {
      long pc = walk.topReturnAddress();
      if (!callers.isReturnAddress(walk, pc) || !callers.isCaller(walk, pc)) {
        return false;
      }
      walk.popTo(pc, walk.spBeforeCall());
      return true;
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }
}
