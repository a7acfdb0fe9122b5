package stackweave.hotspot.search;

import java.util.function.Supplier;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.frame.Walk;
import stackweave.tableless.CodeUnwinder;
import stackweave.unwind.Registers;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.walk.CodeModule;
import stackweave.unwind.walk.Found;
import stackweave.unwind.walk.NativeUnwinder;

/**
 * The frame pointer of a blocked thread that was read from outside: the kernel shows pc and sp
 * only. Asked by the mixed unwinder where a native function's rule needs it, and at the first frame
 * of the VM. It must never be taken as known at a frame of the VM where it is not: a stack can
 * reach the thread's first frame then and lack frames. Bounded; not thread-safe.
 */
public final class UnknownFramePointer {
  /** How far up a frame pointer is searched, in words. */
  private static final int MAX_WORDS = 2048;

  /** Stacks that are walked for one search. */
  private static final int MAX_WALKS = 24;

  /** A wrapper aligns sp before it calls native code. */
  private static final int ALIGNMENT = 16;

  private static final int MAX_CALL_BYTES = 16;

  private final NativeUnwinder natives;
  private final CodeUnwinder tableless;
  private final Supplier<StopReason> walkOn;
  private final byte[] code = new byte[MAX_CALL_BYTES];

  /** Of a blocked thread, or null. */
  private StackSnapshot sample;

  /** Whether the walk has come to a frame of the VM, and with which sp. */
  private boolean arrived;

  private long arrivalSp;

  /** Whether the frame pointer was not known there, and may be needed. */
  private boolean lacking;

  private boolean trying;

  /**
   * @param tableless tells what functions put on their stack
   * @param walkOn walks from the frame at hand to the end of the stack
   */
  public UnknownFramePointer(
      NativeUnwinder natives, CodeUnwinder tableless, Supplier<StopReason> walkOn) {
    this.natives = natives;
    this.tableless = tableless;
    this.walkOn = walkOn;
  }

  /** Begins a stack. */
  public void begin(StackSnapshot snapshot) {
    sample = snapshot.isBlocked() ? snapshot : null;
    trying = false;
    reset();
  }

  private void reset() {
    arrived = false;
    lacking = false;
  }

  /** Whether it was not known at the stack's first frame of the VM, which may have needed it. */
  public boolean isLacking() {
    return lacking;
  }

  /**
   * The frame at hand is one of the VM. If no native function has changed the frame pointer, it is
   * the one that the VM has noted for its last Java frame; none is noted for frames that need none.
   */
  public void atVmFrame(Walk walk) {
    if (sample == null || arrived) {
      return;
    }
    arrived = true;
    arrivalSp = walk.sp();
    if (walk.isFpKnown()) {
      return;
    }
    lacking = !isLastJavaFrame(arrivalSp);
    if (!lacking && sample.lastJavaFp() != 0) {
      walk.setFp(sample.lastJavaFp());
    }
  }

  private boolean isLastJavaFrame(long sp) {
    return sample.lastJavaSp() >= sp && sample.lastJavaSp() - sp <= ALIGNMENT;
  }

  /**
   * Finds the frame pointer of the native frame at hand, whose rule needs it and which waits for a
   * call. No function further in has changed it.
   *
   * @return whether the walk has it now
   */
  public boolean find(Walk walk) {
    if (sample == null || arrived || walk.isFpKnown()) {
      return false;
    }
    CodeModule module = walk.modules().find(walk.pc() - 1);
    if (module == null) {
      return false;
    }
    long start = functionStart(module, walk.pc() - 1);
    return start != 0 && findByStart(walk, start) || !trying && search(walk, start);
  }

  private static long functionStart(CodeModule module, long address) {
    long start = module.unwindTable().functionStart(address - module.bias());
    return start == UnwindTable.NO_ADDRESS ? module.functionStart(address) : start + module.bias();
  }

  /**
   * By what the function puts on its stack when it begins. The word where the return address should
   * be may be one of an old frame: the call before it must be of this function, and it is a guess
   * where that call's target is not known.
   */
  private boolean findByStart(Walk walk, long start) {
    int below = tableless.bytesBelowFp(walk, start);
    if (below == CodeUnwinder.UNKNOWN) {
      return false;
    }
    long fp = walk.sp() + below;
    long pc = walk.peekReturnAddress(fp + Cpu.RETURN_ADDRESS);
    if (!walk.isOnStack(fp)) {
      return false;
    }
    boolean sure;
    if (walk.isReturnAddress(pc)) {
      long target = callTarget(walk, pc);
      if (!mayCall(walk, target, start)) {
        return false;
      }
      long callerSp = fp + Cpu.RETURN_ADDRESS + Cpu.WORD;
      // HotSpot calls native methods by pointers, too, but notes the frame that does.
      sure = target != 0 || walk.isManaged(pc) && isLastJavaFrame(callerSp);
    } else if (walk.modules().find(pc) != null && natives.isSignalReturn(pc, walk.stack())) {
      sure = false; // a signal handler: the kernel has called it
    } else {
      return false;
    }
    walk.setFp(fp);
    if (!sure) {
      walk.frames().setFoundOfNext(Found.SEARCH);
      if (!trying) {
        walk.countGuess();
      }
    }
    return true;
  }

  private boolean read(Walk walk, long address, int length) {
    try {
      walk.stack().code().read(address, code, 0, length);
      return true;
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }

  /**
   * The nearest word of the stack that leads, as the frame pointer, to a caller that calls this
   * function, and further to the thread's last Java frame and its first frame. A guess.
   */
  private boolean search(Walk walk, long start) {
    walk.mark();
    long from = walk.sp() & -Cpu.WORD;
    boolean interrupted = walk.interrupted();
    int walks = 0;
    for (int i = 0; i < MAX_WORDS && walks < MAX_WALKS; i++) {
      long fp = from + (long) i * Cpu.WORD;
      Registers registers = walk.registers();
      walk.setFp(fp);
      boolean stepped =
          natives.step(registers, interrupted, walk.stack(), walk.modules()) == null
              && walk.isReturnAddress(registers.pc())
              && mayCall(walk, callTarget(walk, registers.pc()), start);
      walks += stepped ? 1 : 0;
      boolean leads = stepped && leads(walk);
      walk.goBack();
      reset();
      if (leads) {
        walk.setFp(fp);
        walk.frames().setFoundOfNext(Found.SEARCH);
        walk.countGuess();
        return true;
      }
    }
    return false;
  }

  private boolean leads(Walk walk) {
    walk.setInterrupted(natives.callerInterrupted());
    trying = true;
    StopReason end = walkOn.get();
    trying = false;
    boolean complete = end == StopReason.COMPLETE || end == StopReason.THREAD_ENTRY;
    // A thread that the VM has noted no frame of has none of its own on this stack, or runs Java
    // code, where nothing tells whether the way there is right.
    return complete && !lacking && arrived == (sample.lastJavaSp() != 0) && isNoted();
  }

  private boolean isNoted() {
    return !arrived || isLastJavaFrame(arrivalSp);
  }

  /** Where the call before a return address leads to; 0 if unknown, as that of a pointer is. */
  private long callTarget(Walk walk, long pc) {
    int length = walk.cpu().code.lengths.knownCall();
    return read(walk, pc - length, length) ? walk.cpu().code.callTarget(code, length, pc) : 0;
  }

  /**
   * Whether a call with this target may be one of the function: another function begins where a
   * direct call leads to, else it is of this one, or of a stub that jumps on.
   */
  private static boolean mayCall(Walk walk, long target, long start) {
    if (target == 0 || target == start) {
      return true;
    }
    CodeModule of = walk.modules().find(target);
    return of != null && functionStart(of, target) != target;
  }
}
