package stackweave.hotspot.search;

import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.frame.Walk;
import stackweave.tableless.CodeUnwinder;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.walk.Found;
import stackweave.unwind.walk.NativeUnwinder;

/**
 * The frame pointer of a blocked thread that was read from outside: the kernel shows pc and sp
 * only. Asked by the mixed unwinder where a native function's rule needs it, and at the first frame
 * of the VM. At a frame of the VM it must never be taken as known if it is not: the stack could
 * reach the thread's first frame and lack others. Bounded; not thread-safe.
 */
public final class UnknownFramePointer {
  /** A wrapper aligns sp before it calls native code. */
  private static final int ALIGNMENT = 16;

  private final NativeUnwinder natives;
  private final CodeUnwinder tableless;
  private final NativeCalls calls = new NativeCalls();

  /** The sample of a blocked thread, or null. */
  private StackSnapshot sample;

  /** Whether the walk has come to a frame of the VM. */
  private boolean arrived;

  /** Whether the frame pointer was not known there, and may be needed. */
  private boolean lacking;

  /**
   * @param tableless tells what functions put on their stack
   */
  public UnknownFramePointer(NativeUnwinder natives, CodeUnwinder tableless) {
    this.natives = natives;
    this.tableless = tableless;
  }

  /** Begins a stack. */
  public void begin(StackSnapshot snapshot) {
    sample = snapshot.isBlocked() ? snapshot : null;
    arrived = false;
    lacking = false;
  }

  /** Whether it is not known at the first frame of the VM, which may have needed it. */
  public boolean isLacking() {
    return lacking;
  }

  /**
   * Says that the frame at hand is one of the VM. If no native function changed the frame pointer,
   * it is the one that the VM has noted for its last Java frame; frames that need none have none
   * noted.
   */
  public void atVmFrame(Walk walk) {
    if (sample == null || arrived) {
      return;
    }
    arrived = true;
    if (walk.isFpKnown()) {
      return;
    }
    lacking = !isLastJavaFrame(walk.sp());
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
    long start = NativeCalls.functionStart(walk, walk.pc() - 1);
    return start != 0 && findByStart(walk, start);
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
      long target = calls.target(walk, pc);
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
      walk.countGuess();
    }
    return true;
  }

  /**
   * Whether a call with this target may be one of the function: another function begins where a
   * direct call leads to, else it is of this one, or of a stub that jumps on.
   */
  private static boolean mayCall(Walk walk, long target, long start) {
    if (target == 0 || target == start) {
      return true;
    }
    return walk.modules().find(target) != null && NativeCalls.functionStart(walk, target) != target;
  }
}
