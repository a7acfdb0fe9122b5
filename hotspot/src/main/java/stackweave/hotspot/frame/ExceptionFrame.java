package stackweave.hotspot.frame;

import stackweave.hotspot.pc.PcEntry;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Leaves the blob to which C2's code jumps with a thrown exception. The pc that throws comes in a
 * register, is pushed as if it were a return address, and is popped again before the jump to the
 * handler.
 */
public final class ExceptionFrame implements HotSpotFrame {
  private final HotSpotFrame built;

  /**
   * @param built leaves the blob while its frame stands
   */
  public ExceptionFrame(HotSpotFrame built) {
    this.built = built;
  }

  @Override
  public StopReason step(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    long thrower = walk.valueOf(walk.cpu().roles.throwingPc());
    boolean frameless =
        walk.interrupted()
            && (entry.pc == entry.blob.codeBegin
                || walk.cpu()
                    .code
                    .isThrowingPcPoppedBefore(
                        entry.code, PcEntry.CODE_BEFORE, PcEntry.CODE_BEFORE));
    if (!frameless || !walk.isManaged(thrower)) {
      return built.step(walk, entry);
    }
    StopReason full = walk.addStub(entry);
    walk.popTo(thrower, walk.sp());
    return full;
  }
}
