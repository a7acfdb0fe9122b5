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
    boolean read = readCode(walk);
    if (read && X86Code.isSystemCallBefore(code, CLONE_WINDOW) && leaveSystemCall(walk)) {
      return null;
    }
    if (read && X86Code.isCloneWithin(code, CLONE_WINDOW) && walk.valueOf(X86.RAX) == 0) {
      // The new thread, before its first frame; its creator sees its id in rax.
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
   * has pushed nothing if the word on top of the stack is a return address.
   */
  private boolean leaveByTop(Walk walk) {
    long sp = walk.sp();
    long pc = walk.peek(sp);
    if (hotspot == null || !hotspot.callers().isReturnAddress(walk, pc)) {
      return false;
    }
    walk.popTo(pc, sp + X86.WORD);
    return true;
  }
}
