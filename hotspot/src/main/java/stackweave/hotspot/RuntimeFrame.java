package stackweave.hotspot;

import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Blobs through which compiled code calls the VM: C1's and C2's runtime stubs, call resolution,
 * safepoint polls, foreign calls; and the deoptimization blobs. Their frame size counts once the
 * frame is built and until it is taken down, so it is believed only where it leads to a caller.
 */
final class RuntimeFrame implements HotSpotFrame {
  private final Callers callers;
  private final StubCallSite callSite;
  private final StackScan scan;

  RuntimeFrame(Callers callers, StubCallSite callSite, StackScan scan) {
    this.callers = callers;
    this.callSite = callSite;
    this.scan = scan;
  }

  @Override
  public StopReason step(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    StopReason full = walk.addStub(entry);
    if (full != null) {
      return full;
    }
    return leave(walk, entry) || scan.toCaller(walk, walk.sp()) ? null : StopReason.BAD_STUB_FRAME;
  }

  private boolean leave(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    if (walk.interrupted() && leaveInterrupted(walk, entry)) {
      return true;
    }
    return leaveBySize(walk, entry)
        || callSite.toCaller(walk, entry)
        || entry.blob.kind == BlobKind.DEOPTIMIZATION && leaveByFp(walk, Long.MAX_VALUE);
  }

  private boolean leaveInterrupted(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    long sp = walk.sp();
    int jump = X86Code.jumpRegister(entry.code, PcEntry.CODE_BEFORE);
    if (jump >= 0 && leaveByJump(walk, walk.valueOf(jump))) {
      return true;
    }
    if (entry.pc == entry.blob.codeBegin || X86Code.isReturn(entry.code, PcEntry.CODE_BEFORE)) {
      return leaveAt(walk, sp, walk.valueOf(X86.RBP));
    }
    if (entry.partial != null) {
      long slot = sp + entry.partial.returnAddress();
      boolean pushed = entry.partial.savedFp() != X86Code.FrameState.FP_IN_REGISTER;
      return leaveAt(walk, slot, pushed ? walk.read(sp) : walk.valueOf(X86.RBP));
    }
    return leaveBySize(walk, entry)
        || callSite.toCaller(walk, entry)
        || leaveAt(walk, sp, walk.valueOf(X86.RBP))
        || leaveByFp(walk, entry.blob.frameBytes);
  }

  /** About to go on in compiled code, at an exception handler: there it is as good as already. */
  private boolean leaveByJump(Walk walk, long target) {
    if (!callers.isInCompiledCode(target)) {
      return false;
    }
    walk.popTo(target, walk.sp());
    walk.setInterrupted(true);
    return true;
  }

  private boolean leaveBySize(Walk walk, PcEntry entry) {
    int size = entry.blob.frameBytes;
    if (size < X86.FRAME_LINK_BYTES) {
      return false;
    }
    long cfa = walk.sp() + size;
    long fp = walk.peek(cfa - X86.FRAME_LINK_BYTES);
    long pc = walk.peek(cfa - X86.WORD);
    if (!callers.isGoodForJava(walk, pc, cfa, fp)) {
      return false;
    }
    walk.toCaller(pc, cfa, fp);
    return true;
  }

  private boolean leaveAt(Walk walk, long slot, long fp) {
    long pc = walk.peek(slot);
    if (!callers.isHotSpotReturnAddress(pc)) {
      return false;
    }
    walk.popTo(pc, slot + X86.WORD);
    walk.registers().set(X86.RBP, fp);
    return true;
  }

  /**
   * By the frame pointer, if it is the blob's own: where the blob had not set it up, it would be
   * the caller's and skip a frame.
   */
  private boolean leaveByFp(Walk walk, long reach) {
    long fp = walk.valueOf(X86.RBP);
    if (!walk.isOnStack(fp) || fp - walk.sp() > reach) {
      return false;
    }
    return leaveAt(walk, fp + X86.RETURN_ADDRESS, walk.peek(fp + X86.SAVED_FP))
        && restoreSp(walk, fp);
  }

  private static boolean restoreSp(Walk walk, long fp) {
    walk.registers().set(X86.RSP, fp + X86.FRAME_LINK_BYTES);
    return true;
  }
}
