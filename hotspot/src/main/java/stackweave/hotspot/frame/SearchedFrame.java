package stackweave.hotspot.frame;

import stackweave.hotspot.pc.PcEntry;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * A kind of frame that HotSpot does not describe, or not always rightly: where no way out of it
 * leads to a caller, the stack is searched for one.
 */
abstract class SearchedFrame implements HotSpotFrame {
  private final StackScan scan;
  private final StopReason failure;

  /**
   * @param failure why the walk ends where no caller is found
   */
  SearchedFrame(StackScan scan, StopReason failure) {
    this.scan = scan;
    this.failure = failure;
  }

  @Override
  public final StopReason step(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    StopReason full = show(walk, entry);
    if (full != null) {
      return full;
    }
    return leave(walk, entry) || scan.toCaller(walk, walk.sp()) ? null : failure;
  }

  /** Appends the frame; null, or why the walk must end. */
  StopReason show(Walk walk, PcEntry entry) {
    return walk.addStub(entry);
  }

  /** Makes the caller the frame at hand; false if it can't be told. */
  abstract boolean leave(Walk walk, PcEntry entry) throws UnreadableMemoryException;
}
