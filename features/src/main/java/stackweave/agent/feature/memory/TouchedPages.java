package stackweave.agent.feature.memory;

import java.util.Arrays;
import java.util.stream.IntStream;
import stackweave.unwind.hash.LongIndex;

/**
 * Pages or blocks, with the stacks that touched or allocated them, in columns; a page keeps its
 * position until it is removed. Bounded. Used by {@link MemorySampler} and {@link
 * AllocationSampler}; not thread-safe, allocates only to grow.
 */
final class TouchedPages {
  /** The most pages that are followed: 4 GiB of memory if each stands for 32 KiB. */
  static final int MAX_PAGES = 1 << 17;

  private final int max;
  private final LongIndex index = new LongIndex();
  private boolean[] isUsed = new boolean[index.capacity()];
  private long[] stacks = new long[index.capacity()];
  private long[] threads = new long[index.capacity()];
  private long[] values = new long[index.capacity()];
  private int[] ends = new int[index.capacity()];
  private long[] contexts = new long[index.capacity()];

  /** Positions given so far, including those that are free again. */
  private int limit;

  /**
   * @param max the most pages
   */
  TouchedPages(int max) {
    this.max = max;
  }

  /** How many there are. */
  int count() {
    return index.count();
  }

  boolean hasRoom() {
    return index.count() < max;
  }

  /** Positions are below this. */
  int limit() {
    return limit;
  }

  /** The page at a position; 0 if there is none. */
  long page(int position) {
    return isUsed[position] ? index.key(position) : 0;
  }

  long stack(int position) {
    return stacks[position];
  }

  long thread(int position) {
    return threads[position];
  }

  /** The value of its addition: bytes that it stands for, or when it was touched. */
  long value(int position) {
    return values[position];
  }

  int end(int position) {
    return ends[position];
  }

  long context(int position) {
    return contexts[position];
  }

  /** The position of a page, or −1. */
  int find(long page) {
    return index.find(page);
  }

  /**
   * Adds a page that is not in it.
   *
   * @param page its number, not 0
   * @return false if there is no room
   */
  boolean add(long page, long stack, long thread, long value, int end, long context) {
    if (!hasRoom()) {
      return false;
    }
    int position = index.add(page);
    if (index.capacity() > stacks.length) {
      isUsed = Arrays.copyOf(isUsed, index.capacity());
      stacks = Arrays.copyOf(stacks, index.capacity());
      threads = Arrays.copyOf(threads, index.capacity());
      values = Arrays.copyOf(values, index.capacity());
      ends = Arrays.copyOf(ends, index.capacity());
      contexts = Arrays.copyOf(contexts, index.capacity());
    }
    limit = Math.max(limit, position + 1);
    isUsed[position] = true;
    stacks[position] = stack;
    threads[position] = thread;
    values[position] = value;
    ends[position] = end;
    contexts[position] = context;
    return true;
  }

  /** Removes the page at a position. */
  void remove(int position) {
    index.remove(index.key(position));
    isUsed[position] = false;
  }

  /** Replaces the page at a position by another, which must not be there yet. */
  void move(int position, long page) {
    remove(position);
    add(
        page,
        stacks[position],
        threads[position],
        values[position],
        ends[position],
        contexts[position]);
  }

  /** A copy of all pages, for the rare case that many have moved. */
  long[] all() {
    return IntStream.range(0, limit).filter(i -> isUsed[i]).mapToLong(index::key).toArray();
  }

  /** Forgets all pages, because their ids are void. */
  void clear() {
    index.clear();
    limit = 0;
  }
}
