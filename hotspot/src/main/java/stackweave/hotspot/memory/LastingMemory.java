package stackweave.hotspot.memory;

import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Reads what the VM never unmaps directly, all else through the kernel. Used by the readers of code
 * blobs, segment maps and counters. Not thread-safe.
 *
 * <p>Read directly are: the committed parts of code heaps and of their segment maps, up to the end
 * that the VM states at this moment ({@code CodeHeap} in {@code heap.cpp} commits more, and never
 * less, on JDK 17 to 27: {@code VirtualSpace::shrink_by} is not called for it; freed blobs go to a
 * free list); and single words that stay where they are ({@link #addWord}). Never Metaspace, class
 * space, symbols, or the parts of compiled methods that JDK 25 keeps in the C heap.
 */
public final class LastingMemory implements MemoryReader {
  /** Two regions for each of the code heaps, which are sixteen at most. */
  private static final int MAX_REGIONS = 32;

  private static final int MAX_WORDS = 8;

  private final DirectMemory direct;
  private final MemoryReader memory;
  private final long[] low = new long[MAX_REGIONS];
  private final long[] limit = new long[MAX_REGIONS];
  private final long[] committed = new long[MAX_REGIONS];
  private final long[] committedAt = new long[MAX_REGIONS];
  private int regions;
  private final long[] words = new long[MAX_WORDS];
  private int wordCount;

  /**
   * @param direct null: everything is read through {@code memory}
   */
  public LastingMemory(DirectMemory direct, MemoryReader memory) {
    this.direct = direct;
    this.memory = memory;
  }

  /**
   * Adds a region that only grows. What is behind {@code limit}, or behind what is committed, is
   * read through the kernel.
   *
   * @param low its first address
   * @param limit behind the last address that it may ever have
   * @param committedAt the address of the VM's word that says where its committed part ends, which
   *     is itself never freed
   */
  public void addRegion(long low, long limit, long committedAt) {
    if (direct != null && regions < MAX_REGIONS) {
      this.low[regions] = low;
      this.limit[regions] = limit;
      this.committed[regions] = low;
      this.committedAt[regions] = committedAt;
      regions++;
    }
  }

  /** Adds a word of 8 bytes that is never freed. */
  public void addWord(long address) {
    if (direct != null && wordCount < MAX_WORDS && !isLastingWord(address)) {
      words[wordCount++] = address;
    }
  }

  @Override
  public long readLong(long address) throws UnreadableMemoryException {
    return isLastingWord(address) || isLasting(address, Long.BYTES)
        ? direct.readLong(address)
        : memory.readLong(address);
  }

  @Override
  public void read(long address, byte[] target, int offset, int length)
      throws UnreadableMemoryException {
    if (isLasting(address, length)) {
      direct.read(address, target, offset, length);
    } else {
      memory.read(address, target, offset, length);
    }
  }

  private boolean isLastingWord(long address) {
    for (int i = 0; i < wordCount; i++) {
      if (words[i] == address) {
        return true;
      }
    }
    return false;
  }

  private boolean isLasting(long address, int length) {
    for (int i = 0; i < regions; i++) {
      if (address >= low[i] && address < limit[i]) {
        // By distances: addresses above them may wrap.
        long needed = address - low[i] + length;
        if (needed <= committed[i] - low[i]) {
          return true;
        }
        committed[i] = Math.min(direct.readLong(committedAt[i]), limit[i]);
        return needed <= committed[i] - low[i];
      }
    }
    return false;
  }
}
