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
  /** How far above sp the entry may lie, in words: room is made for the frames to be thawed. */
  private static final int LONGEST_SCAN = 4096;

  private static final String CLASS = "jdk.internal.vm.Continuation";
  private static final String RUN = "run";

  private final Layout layout;
  private final MemoryReader memory;
  private final Callers callers;
  private final PcCache pcs;
  private final MethodCache methods;
  private final HotSpotMethods names;

  ContinuationFrame(
      Layout layout,
      MemoryReader memory,
      Callers callers,
      PcCache pcs,
      MethodCache methods,
      HotSpotMethods names) {
    this.layout = layout;
    this.memory = memory;
    this.callers = callers;
    this.pcs = pcs;
    this.methods = methods;
    this.names = names;
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
      long at = walk.sp() + (long) i * Cpu.WORD;
      long fp = at + size;
      // enterSpecial's frame: the entry, then saved frame pointer and return address of
      // Continuation.run.
      if (isRun(walk, walk.peekReturnAddress(fp + Cpu.RETURN_ADDRESS), walk.peek(fp))) {
        walk.toCaller(returnPc, at, fp);
        return null;
      }
    }
    return StopReason.BAD_STUB_FRAME;
  }

  /** Whether a frame that waits at {@code pc} with this fp is one of Continuation.run. */
  private boolean isRun(Walk walk, long pc, long fp) {
    if (!callers.isHotSpotReturnAddress(pc)) {
      return false;
    }
    PcEntry entry = pcs.find(pc, false);
    if (entry != null && entry.javaFrames != null) {
      for (int method : entry.javaFrames.methods()) {
        if (isRun(names.get(method))) {
          return true;
        }
      }
      return false;
    }
    JavaMethod method = methods.find(walk.peek(fp + Cpu.METHOD));
    return method != null && isRun(names.get(method.id));
  }

  private static boolean isRun(HotSpotMethod method) {
    return method.name().equals(RUN) && method.className().equals(CLASS);
  }
}
