package stackweave.unwind.section;

import java.util.Arrays;

/**
 * Start addresses in unsigned order, each with a number: the search index for sections without one
 * of their own. Primitive arrays, 12 bytes an entry. Not thread-safe.
 *
 * @hidden no part of the API
 */
public final class SortedIndex {
  private long[] starts;
  private int[] values;
  private int size;

  /** An empty index; it grows beyond {@code expected} entries. */
  public SortedIndex(int expected) {
    starts = new long[expected];
    values = new int[expected];
  }

  /** Adds an entry; {@link #sort} must follow before {@link #floor}. */
  public void add(long start, int value) {
    if (size == starts.length) {
      starts = Arrays.copyOf(starts, 2 * size + 1);
      values = Arrays.copyOf(values, 2 * size + 1);
    }
    starts[size] = start;
    values[size] = value;
    size++;
  }

  /** Puts the entries in order; those with equal starts by value. */
  public void sort() {
    Integer[] order = new Integer[size];
    for (int i = 0; i < size; i++) {
      order[i] = i;
    }
    Arrays.sort(
        order,
        (a, b) -> {
          int byStart = Long.compareUnsigned(starts[a], starts[b]);
          return byStart != 0 ? byStart : Integer.compare(values[a], values[b]);
        });
    long[] sortedStarts = new long[size];
    int[] sortedValues = new int[size];
    for (int i = 0; i < size; i++) {
      sortedStarts[i] = starts[order[i]];
      sortedValues[i] = values[order[i]];
    }
    starts = sortedStarts;
    values = sortedValues;
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
}
