package stackweave.hotspot;

import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The compiled wrapper of a native method, a frame with frame pointer; or a method handle
 * intrinsic, which is compiled the same way but has no frame at all.
 */
final class NativeWrapperFrame implements HotSpotFrame {
  /** sp is aligned down before the wrapper calls into the VM on its way back. */
  private static final int ALIGNMENT = 16;

  private final Callers callers;
  private final StackScan scan;

  NativeWrapperFrame(Callers callers, StackScan scan) {
    this.callers = callers;
    this.scan = scan;
  }

  @Override
  public StopReason step(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    StopReason full = walk.addCompiled(entry);
    if (full != null) {
      return full;
    }
    return leave(walk, entry) || scan.toCaller(walk, walk.sp())
        ? null
        : StopReason.BAD_COMPILED_FRAME;
  }

  private boolean leave(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    long sp = walk.sp();
    long expected = sp + entry.blob.frameBytes - X86.FRAME_LINK_BYTES;
    if (walk.interrupted()) {
      return leaveInterrupted(walk, entry, expected);
    }
    long fp = walk.valueOf(X86.RBP);
    boolean aligned = fp >= expected && fp - expected <= ALIGNMENT;
    return leaveByFp(walk, aligned ? fp : expected);
  }

  private boolean leaveInterrupted(Walk walk, PcEntry entry, long expected)
      throws UnreadableMemoryException {
    long sp = walk.sp();
    long fp = walk.valueOf(X86.RBP);
    if (entry.partial != null) {
      long slot = sp + entry.partial.returnAddress();
      long pc = walk.read(slot);
      if (callers.isHotSpotReturnAddress(pc)) {
        boolean pushed = entry.partial.savedFp() != X86Code.FrameState.FP_IN_REGISTER;
        walk.toCaller(pc, slot + X86.WORD, pushed ? walk.read(sp) : fp);
        return true;
      }
    }
    if (fp >= expected && fp - expected <= ALIGNMENT && leaveByFp(walk, fp)) {
      return true;
    }
    long top = walk.read(sp);
    if (callers.isHotSpotReturnAddress(top)) {
      walk.toCaller(top, sp + X86.WORD);
      return true;
    }
    return leaveByFp(walk, expected);
  }

  private boolean leaveByFp(Walk walk, long fp) throws UnreadableMemoryException {
    long pc = walk.read(fp + X86.RETURN_ADDRESS);
    if (!callers.isHotSpotReturnAddress(pc)) {
      return false;
    }
    walk.toCaller(pc, fp + X86.FRAME_LINK_BYTES, walk.read(fp + X86.SAVED_FP));
    return true;
  }
}
