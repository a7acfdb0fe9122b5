package stackweave.unwind.section;

/**
 * A guide into sorted start addresses: for each of about as many equal slices of the address range
 * as there are functions, the last function that starts below the slice's begin. A search looks at
 * the few functions of one slice; where all functions lie in one slice it is the binary search it
 * would be anyway. 4 bytes a function.
 */
public final class StartBuckets {
  private final long first;
  private final int shift;
  private final int[] floors;

  /**
   * @param first start address of the first function
   * @param last start address of the last function; not below the first, unsigned
   * @param count how many functions there are; at least 1
   */
  public StartBuckets(long first, long last, int count) {
    this.first = first;
    int shift = 0;
    while (Long.compareUnsigned((last - first) >>> shift, count) >= 0) {
      shift++;
    }
    this.shift = shift;
    this.floors = new int[(int) ((last - first) >>> shift) + 2];
  }

  /** Adds function {@code i}; in order of their starts, all of them between first and last. */
  public void add(long start, int i) {
    // For now the last one of the slice, where the next slice looks for it. Without a branch: in
    // which functions a slice ends can't be foretold.
    floors[(int) ((start - first) >>> shift) + 1] = i;
  }

  /** Ends the adding: slices in which nothing starts take over what the one before has. */
  public void finish() {
    int floor = 0;
    for (int i = 1; i < floors.length; i++) {
      floor = Math.max(floor, floors[i]);
      floors[i] = floor;
    }
  }

  /** Whether a function may start at or below the address. */
  public boolean mayHold(long address) {
    return Long.compareUnsigned(address, first) >= 0;
  }

  /** Where the search for an address begins: a function that starts at or below it. */
  public int low(long address) {
    long slice = (address - first) >>> shift;
    return floors[slice < 0 || slice >= floors.length - 1 ? floors.length - 1 : (int) slice];
  }

  /** Where the search ends: no later function starts at or below the address. */
  public int high(long address, int count) {
    long slice = (address - first) >>> shift;
    return slice < 0 || slice >= floors.length - 2 ? count - 1 : floors[(int) slice + 1];
  }
}
