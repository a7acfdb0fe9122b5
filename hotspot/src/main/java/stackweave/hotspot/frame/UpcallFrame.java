package stackweave.hotspot.frame;

import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.PartialFrame;
import stackweave.hotspot.pc.PcEntry;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Leaves the stub through which native code calls Java by the foreign function interface; it is
 * based on a frame pointer.
 */
public final class UpcallFrame implements HotSpotFrame {
  private final HotSpotFrame withoutFrame;

  /**
   * @param withoutFrame leaves the stub where its frame is not set up or taken down already
   */
  public UpcallFrame(HotSpotFrame withoutFrame) {
    this.withoutFrame = withoutFrame;
  }

  @Override
  public StopReason step(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    PartialFrame edge = walk.interrupted() ? edge(walk.cpu(), entry) : null;
    if (edge != null && walk.isReturnAddress(walk.returnAddressOf(edge))) {
      return leaveAtEdge(walk, entry, edge);
    }
    long fp = walk.fp();
    long pc = walk.peekReturnAddress(fp + Cpu.RETURN_ADDRESS);
    if (!walk.isOnStack(fp) || !walk.isReturnAddress(pc)) {
      return withoutFrame.step(walk, entry);
    }
    StopReason full = walk.addStub(entry);
    if (full != null) {
      return full;
    }
    walk.toCaller(pc, fp + Cpu.FRAME_LINK_BYTES, walk.read(fp + Cpu.SAVED_FP));
    // What it keeps of its caller's other registers is nowhere described.
    walk.registers().forget(walk.cpu().roles.thread());
    return null;
  }

  /** The frame before it is set up, and when it is gone: the frame pointer is another's then. */
  private static PartialFrame edge(Cpu cpu, PcEntry entry) {
    if (entry.pc == entry.blob.codeBegin || cpu.code.isReturn(entry.code, PcEntry.CODE_BEFORE)) {
      return cpu.code.frameless;
    }
    return cpu.code.isLinkOnTop(entry.code, PcEntry.CODE_BEFORE) ? PartialFrame.LINK : null;
  }

  private static StopReason leaveAtEdge(Walk walk, PcEntry entry, PartialFrame edge)
      throws UnreadableMemoryException {
    StopReason full = walk.addStub(entry);
    if (full != null) {
      return full;
    }
    long pc = walk.returnAddressOf(edge);
    long fp = walk.callerFpOf(edge);
    walk.popTo(pc, walk.sp() + edge.size());
    walk.setFp(fp);
    return null;
  }
}
