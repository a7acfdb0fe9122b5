package stackweave.agent.feature.memory;

/**
 * First touches of pages that the kernel had not given yet when they were looked at, or that lie
 * where nobody knows yet what is mapped, with their stacks: few, for a moment. Used by {@link
 * MemorySampler}; not thread-safe, allocates nothing.
 */
final class PendingPages {
  private static final int MAX = 512;

  private final long[] pages = new long[MAX];
  private final long[] times = new long[MAX];
  private final long[] threads = new long[MAX];
  private final long[] stacks = new long[MAX];
  private final int[] ends = new int[MAX];
  private final long[] contexts = new long[MAX];
  private int count;

  int count() {
    return count;
  }

  boolean hasRoom() {
    return count < MAX;
  }

  /** Adds one, if there is room. */
  void add(long page, long timeNanos, long thread, long stack, int end, long context) {
    if (count < MAX) {
      pages[count] = page;
      times[count] = timeNanos;
      threads[count] = thread;
      stacks[count] = stack;
      ends[count] = end;
      contexts[count] = context;
      count++;
    }
  }

  long page(int index) {
    return pages[index];
  }

  /** When it was touched, on the clock of System.nanoTime. */
  long timeNanos(int index) {
    return times[index];
  }

  long thread(int index) {
    return threads[index];
  }

  long stack(int index) {
    return stacks[index];
  }

  int end(int index) {
    return ends[index];
  }

  long context(int index) {
    return contexts[index];
  }

  /** Removes one; the last one takes its place. */
  void remove(int index) {
    int last = --count;
    pages[index] = pages[last];
    times[index] = times[last];
    threads[index] = threads[last];
    stacks[index] = stacks[last];
    ends[index] = ends[last];
    contexts[index] = contexts[last];
  }

  /** Forgets all. */
  void clear() {
    count = 0;
  }
}
