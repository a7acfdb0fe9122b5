package stackweave.hotspot;

import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The stub through which native code calls Java by the foreign function interface, based on a frame
 * pointer.
 */
final class UpcallFrame implements HotSpotFrame {
  private final Callers callers;
  private final HotSpotFrame withoutFrame;

  UpcallFrame(Callers callers, HotSpotFrame withoutFrame) {
    this.callers = callers;
    this.withoutFrame = withoutFrame;
  }

  @Override
  public StopReason step(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    long fp = walk.fp();
    long pc = walk.peekReturnAddress(fp + Cpu.RETURN_ADDRESS);
    if (!walk.isOnStack(fp) || !callers.isReturnAddress(walk, pc)) {
      return withoutFrame.step(walk, entry);
    }
    StopReason full = walk.addStub(entry);
    if (full != null) {
      return full;
    }
    walk.toCaller(pc, fp + Cpu.FRAME_LINK_BYTES, walk.read(fp + Cpu.SAVED_FP));
    // What it keeps of its caller's other registers is nowhere described.
    walk.registers().forget(walk.cpu().thread());
    return null;
  }
}
