package stackweave.hotspot;

import stackweave.unwind.MemoryReader;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Where a mounted virtual thread's stack continues in the heap: the outermost thawed frame returns
 * to a barrier that thaws more. On this stack the ContinuationEntry follows, and behind it the
 * carrier's own frames. The frames still frozen in the heap are not here to be shown.
 */
final class ContinuationFrame implements HotSpotFrame {
  /** How far above sp the entry may lie, in words: alignment and arguments. */
  private static final int LONGEST_SCAN = 64;

  private final Layout layout;
  private final MemoryReader memory;
  private final Callers callers;

  ContinuationFrame(Layout layout, MemoryReader memory, Callers callers) {
    this.layout = layout;
    this.memory = memory;
    this.callers = callers;
  }

  @Override
  public StopReason step(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    StopReason full = walk.addStub(entry);
    if (full != null) {
      return full;
    }
    // Null until the first continuation ran, so it can't be read once for all.
    long returnPc = memory.readLong(layout.continuationReturnPc.offset());
    int size = layout.continuationEntrySize;
    for (int i = 0; i < LONGEST_SCAN; i++) {
      long at = walk.sp() + (long) i * X86.WORD;
      long fp = at + size;
      // enterSpecial's frame: the entry, then rbp and return address of Continuation.run.
      if (callers.isHotSpotReturnAddress(walk.peek(fp + X86.RETURN_ADDRESS))
          && callers.isGood(walk, returnPc, at, fp)) {
        walk.toCaller(returnPc, at, fp);
        return null;
      }
    }
    return StopReason.BAD_STUB_FRAME;
  }
}
