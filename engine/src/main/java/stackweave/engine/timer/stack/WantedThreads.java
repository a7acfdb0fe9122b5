package stackweave.engine.timer.stack;

import java.util.Arrays;

/**
 * The threads whose descriptors are looked for while a C library's list of threads is walked. Not
 * thread-safe.
 */
final class WantedThreads {
  /** Thread id and index of each thread looked for, sorted. */
  private long[] order = new long[64];

  private long[] addresses;
  private int count;
  private int left;

  /**
   * Begins a search.
   *
   * @param tids the threads' ids, of which {@code count} are valid
   * @param addresses filled in: that of each thread's descriptor, or 0
   */
  void begin(int[] tids, int count, long[] addresses) {
    this.count = count;
    this.addresses = addresses;
    left = count;
    Arrays.fill(addresses, 0, count, 0);
    if (order.length < count) {
      order = new long[count];
    }
    for (int i = 0; i < count; i++) {
      order[i] = (long) tids[i] << Integer.SIZE | i;
    }
    Arrays.sort(order, 0, count);
  }

  /** Whether a descriptor is still to be found. */
  boolean areLeft() {
    return left > 0;
  }

  /** Takes a descriptor that was met, if its thread is wanted. */
  void take(int tid, long descriptor) {
    int at = Arrays.binarySearch(order, 0, count, (long) tid << Integer.SIZE);
    for (int i = at < 0 ? -at - 1 : at; i < count && order[i] >> Integer.SIZE == tid; i++) {
      int place = (int) order[i];
      left -= addresses[place] == 0 ? 1 : 0;
      addresses[place] = descriptor;
    }
  }
}
