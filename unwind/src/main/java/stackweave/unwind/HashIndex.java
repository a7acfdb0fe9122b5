package stackweave.unwind;

import java.util.Arrays;

/**
 * Finds numbers by a hash: an open-addressing hash table of ints, linear probing, at most half
 * full. Whoever uses it keeps what the numbers stand for and compares it: {@link #first}, then
 * {@link #next} until it fits or there is none. No boxing; allocates only to grow. Not thread-safe.
 */
public final class HashIndex {
  /** There is no such number. */
  public static final int NONE = -1;

  private static final int MIN_SLOTS = 16;

  private int[] numbers;
  private int[] hashes;
  private int size;

  // The search at hand.
  private int slot;
  private int hash;

  /**
   * @param expected how many numbers it has room for before it grows
   */
  public HashIndex(int expected) {
    int slots = Math.max(MIN_SLOTS, Integer.highestOneBit(Math.max(1, expected)) << 2);
    allocate(slots);
  }

  private void allocate(int slots) {
    numbers = new int[slots];
    hashes = new int[slots];
    Arrays.fill(numbers, NONE);
  }

  /** How many numbers were added. */
  public int size() {
    return size;
  }

  /** The first number that was added with a hash, or {@link #NONE}. */
  public int first(int hash) {
    this.hash = hash;
    slot = place(hash);
    return search();
  }

  /**
   * The next number with the hash that {@link #first} was asked for, or {@link #NONE}; nothing may
   * be added in between.
   */
  public int next() {
    slot = slot + 1 & numbers.length - 1;
    return search();
  }

  private int search() {
    while (numbers[slot] != NONE && hashes[slot] != hash) {
      slot = slot + 1 & numbers.length - 1;
    }
    return numbers[slot];
  }

  /**
   * Adds a number, also one that is there.
   *
   * @param number 0 or above
   */
  public void add(int hash, int number) {
    if (number < 0) {
      throw new IllegalArgumentException("number " + number);
    }
    if ((size + 1) * 2 > numbers.length) {
      grow();
    }
    put(hash, number);
    size++;
  }

  private void put(int hash, int number) {
    int at = place(hash);
    while (numbers[at] != NONE) {
      at = at + 1 & numbers.length - 1;
    }
    numbers[at] = number;
    hashes[at] = hash;
  }

  private void grow() {
    int[] oldNumbers = numbers;
    int[] oldHashes = hashes;
    allocate(Math.multiplyExact(oldNumbers.length, 2));
    for (int i = firstFree(oldNumbers), left = oldNumbers.length; left > 0; left--) {
      // From a free slot on, so that numbers of one hash stay in the order they were added in.
      i = i + 1 & oldNumbers.length - 1;
      if (oldNumbers[i] != NONE) {
        put(oldHashes[i], oldNumbers[i]);
      }
    }
  }

  private static int firstFree(int[] numbers) {
    int i = 0;
    while (numbers[i] != NONE) {
      i++;
    }
    return i;
  }

  private int place(int hash) {
    return (hash * 0x9e37_79b9) >>> Integer.numberOfLeadingZeros(numbers.length - 1);
  }
}
