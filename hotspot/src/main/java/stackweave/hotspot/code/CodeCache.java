package stackweave.hotspot.code;

import stackweave.hotspot.memory.LastingMemory;
import stackweave.hotspot.memory.MemoryCopy;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.hotspot.vmstructs.UnsupportedVmException;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Finds the blob that holds a pc, through the segment map of its code heap ({@code heap.hpp},
 * CodeHeap). Reads nothing of the blob itself. Not thread-safe.
 */
public final class CodeCache {
  private static final int FREE_SEGMENT = 0xff;

  /** Most bytes of the segment map read at a time: the longest hop backwards. */
  private static final int WINDOW = 256;

  /** Windows of the longest block, of 4 MiB at least: more than any compiler makes. */
  private static final int MAX_WINDOWS = 256;

  /** More heaps than any JDK has (non-method, profiled, non-profiled; 27: hot). */
  private static final int MAX_HEAPS = 16;

  private record Heap(
      long low, long highBoundary, long segmap, int log2SegmentSize, long highAddress) {}

  private final Layout layout;
  private final LastingMemory memory;
  private final long lowBound;
  private final long highBound;
  private final Heap[] heaps;
  private final MemoryCopy window = new MemoryCopy(WINDOW);

  /**
   * Reads where the code heaps are; they stay there as long as the VM runs.
   *
   * @param memory gets the regions of the heaps and their segment maps, which are never unmapped
   * @throws UnreadableMemoryException if that is not readable
   * @throws UnsupportedVmException if there are more code heaps than any JDK has, or none
   */
  public CodeCache(Layout layout, LastingMemory memory)
      throws UnreadableMemoryException, UnsupportedVmException {
    this.layout = layout;
    this.memory = memory;
    lowBound = memory.readLong(layout.codeLowBound.offset());
    highBound = memory.readLong(layout.codeHighBound.offset());
    long array = memory.readLong(layout.codeHeaps.offset());
    MemoryCopy header = new MemoryCopy(64).copy(memory, array, layout.arrayData.end());
    int count = layout.arrayLength.intIn(header);
    if (count < 1 || count > MAX_HEAPS || lowBound >= highBound) {
      throw new UnsupportedVmException("its code cache has " + count + " heaps");
    }
    long data = layout.arrayData.in(header);
    heaps = new Heap[count];
    for (int i = 0; i < count; i++) {
      heaps[i] = heap(memory.readLong(data + 8L * i));
    }
  }

  private Heap heap(long address) throws UnreadableMemoryException {
    MemoryCopy piece = new MemoryCopy(512).copy(memory, address, layout.heapSize);
    int space = (int) layout.heapMemory.offset();
    int segmap = (int) layout.heapSegmap.offset();
    Heap heap =
        new Heap(
            layout.spaceLow.in(piece, space),
            layout.spaceHighBoundary.in(piece, space),
            layout.spaceLow.in(piece, segmap),
            layout.heapLog2SegmentSize.intIn(piece),
            address + space + layout.spaceHigh.offset());
    memory.addWord(heap.highAddress);
    memory.addRegion(heap.low, heap.highBoundary, heap.highAddress);
    memory.addRegion(
        heap.segmap,
        layout.spaceHighBoundary.in(piece, segmap),
        address + segmap + layout.spaceHigh.offset());
    return heap;
  }

  /** Whether {@code pc} lies in the code cache's reserved range. */
  public boolean contains(long pc) {
    return pc >= lowBound && pc < highBound;
  }

  /**
   * The address of the used blob that holds {@code pc}.
   *
   * @return 0 if there is none (now)
   */
  public long blobAt(long pc) throws UnreadableMemoryException {
    for (Heap heap : heaps) {
      if (pc >= heap.low && pc < heap.highBoundary) {
        return blobAt(heap, pc);
      }
    }
    return 0;
  }

  private long blobAt(Heap heap, long pc) throws UnreadableMemoryException {
    // The committed end moves as the heap grows.
    if (pc >= memory.readLong(heap.highAddress)) {
      return 0;
    }
    long segment = blockStart(heap, (pc - heap.low) >> heap.log2SegmentSize);
    if (segment < 0) {
      return 0;
    }
    long block = heap.low + (segment << heap.log2SegmentSize);
    window.copy(memory, block, layout.heapBlockSize);
    return layout.blockUsed.in(window) == 0 ? 0 : block + layout.heapBlockSize;
  }

  /** Walks the segment map back to the first segment of the block; -1 for a free one, or none. */
  private long blockStart(Heap heap, long segment) throws UnreadableMemoryException {
    long at = segment;
    for (int windows = 0; windows < MAX_WINDOWS && at >= 0; windows++) {
      long from = Math.max(0, at - (WINDOW - 1));
      window.copy(memory, heap.segmap + from, (int) (at - from) + 1);
      while (at >= from) {
        int hop = window.u1((int) (at - from));
        if (hop == 0) {
          return at;
        }
        if (hop == FREE_SEGMENT) {
          return -1;
        }
        at -= hop;
      }
    }
    return -1;
  }
}
