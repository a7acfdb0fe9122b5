package stackweave.hotspot.frame;

import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.pc.PcEntry;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Leaves the compiled wrapper of a native method, a frame with a frame pointer; or a method handle
 * intrinsic, which is compiled the same way but has no frame at all.
 */
public final class NativeWrapperFrame implements HotSpotFrame {
  /** sp is aligned down before the wrapper calls into the VM on its way back. */
  private static final int ALIGNMENT = 16;

  private final Callers callers;
  private final StackScan scan;

  public NativeWrapperFrame(Callers callers, StackScan scan) {
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
    long expected = sp + entry.frameBytes - Cpu.FRAME_LINK_BYTES;
    if (walk.interrupted()) {
      return leaveInterrupted(walk, entry, expected);
    }
    long fp = walk.fp();
    boolean aligned = fp >= expected && fp - expected <= ALIGNMENT;
    return leaveByFp(walk, aligned ? fp : expected);
  }

  private boolean leaveInterrupted(Walk walk, PcEntry entry, long expected)
      throws UnreadableMemoryException {
    long fp = walk.fp();
    if (entry.partial != null) {
      long pc = walk.returnAddressOf(entry.partial);
      if (callers.isHotSpotReturnAddress(pc)) {
        walk.toCaller(pc, walk.sp() + entry.partial.size(), walk.callerFpOf(entry.partial));
        return true;
      }
    }
    if (fp >= expected && fp - expected <= ALIGNMENT && leaveByFp(walk, fp)) {
      return true;
    }
    long top = walk.topReturnAddress();
    if (callers.isHotSpotReturnAddress(top)) {
      walk.toCaller(top, walk.spBeforeCall());
      return true;
    }
    return leaveByFp(walk, expected);
  }

  private boolean leaveByFp(Walk walk, long fp) throws UnreadableMemoryException {
    long pc = walk.readReturnAddress(fp + Cpu.RETURN_ADDRESS);
    if (!callers.isHotSpotReturnAddress(pc)) {
      return false;
    }
    walk.toCaller(pc, fp + Cpu.FRAME_LINK_BYTES, walk.read(fp + Cpu.SAVED_FP));
    return true;
  }
}
