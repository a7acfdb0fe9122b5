package stackweave.unwind.section;

import java.util.Arrays;

/**
 * Start addresses in unsigned order, each with a number: the search index for sections that bring
 * none of their own. Primitive arrays, 12 bytes an entry.
 */
public final class SortedIndex {
  private long[] starts;
  private int[] values;
  private int size;

  /** An empty index; it grows beyond {@code expected} entries. */
  public SortedIndex(int expected) {
    starts = new long[Math.max(1, expected)];
    values = new int[Math.max(1, expected)];
  }

  /** Adds an entry; {@link #sort} must follow before {@link #floor}. */
  public void add(long start, int value) {
    if (size == starts.length) {
      starts = Arrays.copyOf(starts, size * 2);
      values = Arrays.copyOf(values, size * 2);
    }
    starts[size] = start;
    values[size] = value;
    size++;
  }

  /** Puts the entries in order; those with equal starts by value. */
  public void sort() {
    // Heap sort: in place, no worst case to exploit.
    for (int i = size / 2 - 1; i >= 0; i--) {
      sink(i, size);
    }
    for (int end = size - 1; end > 0; end--) {
      swap(0, end);
      sink(0, end);
    }
  }

  /** How many entries there are. */
  public int size() {
    return size;
  }

  /** Start address of entry {@code i}. */
  public long start(int i) {
    return starts[i];
  }

  /** Number of entry {@code i}. */
  public int value(int i) {
    return values[i];
  }

  /** The last entry with a start at or below the address, or -1. */
  public int floor(long address) {
    int low = 0;
    int high = size - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (Long.compareUnsigned(starts[middle], address) <= 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  private void sink(int root, int end) {
    int parent = root;
    while (parent * 2 + 1 < end) {
      int child = parent * 2 + 1;
      if (child + 1 < end && isBefore(child, child + 1)) {
        child++;
      }
      if (!isBefore(parent, child)) {
        return;
      }
      swap(parent, child);
      parent = child;
    }
  }

  private boolean isBefore(int a, int b) {
    int order = Long.compareUnsigned(starts[a], starts[b]);
    return order < 0 || (order == 0 && values[a] < values[b]);
  }

  private void swap(int a, int b) {
    long start = starts[a];
    starts[a] = starts[b];
    starts[b] = start;
    int value = values[a];
    values[a] = values[b];
    values[b] = value;
  }
}
