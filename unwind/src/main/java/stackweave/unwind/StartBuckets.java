package stackweave.unwind;

/**
 * A guide into sorted start addresses: for each of about as many equal slices of the address range
 * as there are functions, the last function that starts at or below the slice's begin. A search
 * looks at the few functions of one slice; where all functions lie in one slice it is the binary
 * search it would be anyway. 4 bytes a function.
 */
final class StartBuckets {
  private final long first;
  private final int shift;
  private final int[] floors;
  private int filled;

  /**
   * @param first start address of the first function
   * @param last start address of the last function; not below the first, unsigned
   * @param count how many functions there are; at least 1
   */
  StartBuckets(long first, long last, int count) {
    this.first = first;
    int shift = 0;
    while (Long.compareUnsigned((last - first) >>> shift, count) >= 0) {
      shift++;
    }
    this.shift = shift;
    this.floors = new int[(int) ((last - first) >>> shift) + 2];
  }

  /** Adds function {@code i}; in order of their starts, all of them between first and last. */
  void add(long start, int i) {
    // Slices that begin above this start have at least this function below them.
    int slice = (int) ((start - first) >>> shift);
    while (filled <= slice) {
      floors[filled++] = Math.max(0, i - 1);
    }
    if (start == first + ((long) slice << shift)) {
      floors[slice] = i;
    }
  }

  /** Ends the adding: behind the last function there is only it. */
  void finish(int count) {
    while (filled < floors.length) {
      floors[filled++] = count - 1;
    }
  }

  /** Whether a function may start at or below the address. */
  boolean mayHold(long address) {
    return Long.compareUnsigned(address, first) >= 0;
  }

  /** Where the search for an address begins: a function that starts at or below it. */
  int low(long address) {
    long slice = (address - first) >>> shift;
    return floors[slice < 0 || slice >= floors.length - 1 ? floors.length - 1 : (int) slice];
  }

  /** Where the search ends: no later function starts at or below the address. */
  int high(long address, int count) {
    long slice = (address - first) >>> shift;
    return slice < 0 || slice >= floors.length - 2 ? count - 1 : floors[(int) slice + 1];
  }
}
