package stackweave.hotspot;

import stackweave.unwind.NativeUnwinder;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/** Interrupted native code at a pc that no unwind information describes. */
final class NativeLeaf {
  /** Longest way from the clone3 call to the first instruction that has unwind information. */
  private static final int CLONE_WINDOW = 32;

  private final NativeUnwinder natives;
  private final HotSpotFrames hotspot;
  private final byte[] code = new byte[CLONE_WINDOW];

  NativeLeaf(NativeUnwinder natives, HotSpotFrames hotspot) {
    this.natives = natives;
    this.hotspot = hotspot;
  }

  /**
   * Makes the caller the frame at hand.
   *
   * @return null, or why there is no caller: {@link StopReason#NO_RULE} if there is no telling
   */
  StopReason toCaller(Walk walk) {
    if (walk.cpu() == null) {
      return StopReason.NO_RULE;
    }
    boolean read = readCode(walk);
    if (read && walk.cpu().isSystemCallBefore(code, CLONE_WINDOW) && leaveSystemCall(walk)) {
      return null;
    }
    if (read
        && walk.cpu().isCloneWithin(code, CLONE_WINDOW)
        && walk.valueOf(walk.cpu().systemCallResult()) == 0) {
      // The new thread, before its first frame; its creator sees its id.
      return StopReason.THREAD_ENTRY;
    }
    return leaveByTop(walk) ? null : StopReason.NO_RULE;
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

  /**
   * Hand-written assembly such as libjvm's copy loops, or a call of an address where nothing is: it
   * has pushed nothing if a return address is where a call leaves it.
   */
  private boolean leaveByTop(Walk walk) {
    try {
      long pc = walk.topReturnAddress();
      if (hotspot == null || !hotspot.callers().isReturnAddress(walk, pc)) {
        return false;
      }
      walk.popTo(pc, walk.spBeforeCall());
      return true;
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }
}
