package stackweave.unwind.hash;

import java.util.Arrays;

/**
 * Finds numbers by hash: an open-addressing hash table with linear probing, at most three quarters
 * full. The user keeps the keys that the numbers stand for: {@link #first}, then {@link #next},
 * give slots until the key of the number {@link #at} the slot is equal or there is no further slot.
 * Keys with distinct hashes need no comparison. A search begins at a hash's upper bits, so these
 * have to differ: they do after a multiplication by a large odd number. Allocates only to grow. Not
 * thread-safe.
 */
public final class HashIndex {
  /** There is no such slot. */
  public static final int NONE = -1;

  private static final int MIN_SLOTS = 16;

  /** The hash in the upper half, the number + 1 in the lower; 0 where a slot is free. */
  private long[] slots;

  /** How many slots there are at first, and after {@link #clear}. */
  private final int firstSlots;

  private int size;

  /** Shifting a hash by this leaves the number of its first slot. */
  private int shift;

  /**
   * @param expected how many numbers it has room for before it grows, up to 2²⁸
   */
  public HashIndex(int expected) {
    if (expected < 0 || expected > 1 << 28) {
      throw new IllegalArgumentException("expected " + expected);
    }
    int enough = expected + expected / 3;
    firstSlots = Math.max(MIN_SLOTS, Integer.highestOneBit(enough) << 1);
    allocate(firstSlots);
  }

  private void allocate(int count) {
    slots = new long[count];
    shift = Integer.SIZE - Integer.numberOfTrailingZeros(count);
  }

  /** How many numbers there are. */
  public int size() {
    return size;
  }

  /** The slot of a number that was added with a hash, or {@link #NONE}. */
  public int first(int hash) {
    return search(hash >>> shift, hash);
  }

  /**
   * The slot of another number with the same hash, or {@link #NONE}.
   *
   * @param slot from {@link #first} or from this; nothing may have been changed since
   */
  public int next(int slot) {
    return search(slot + 1 & slots.length - 1, hash(slots[slot]));
  }

  private int search(int from, int hash) {
    long[] entries = slots;
    int slot = from;
    while (entries[slot] != 0) {
      if (hash(entries[slot]) == hash) {
        return slot;
      }
      slot = slot + 1 & entries.length - 1;
    }
    return NONE;
  }

  /** The number in a slot that {@link #first} or {@link #next} found. */
  public int at(int slot) {
    return (int) slots[slot] - 1;
  }

  /**
   * Adds a number, even if it is there already.
   *
   * @param number 0 to {@code Integer.MAX_VALUE} - 1
   */
  public void add(int hash, int number) {
    if (number < 0 || number == Integer.MAX_VALUE) {
      throw new IllegalArgumentException("number " + number);
    }
    if (size == slots.length / 4 * 3) {
      grow();
    }
    put((long) hash << 32 | number + 1);
    size++;
  }

  private void put(long entry) {
    int slot = hash(entry) >>> shift;
    while (slots[slot] != 0) {
      slot = slot + 1 & slots.length - 1;
    }
    slots[slot] = entry;
  }

  private void grow() {
    long[] old = slots;
    allocate(Math.multiplyExact(old.length, 2));
    for (long entry : old) {
      if (entry != 0) {
        put(entry);
      }
    }
  }

  /**
   * Removes the number in a slot.
   *
   * @param slot from {@link #first} or {@link #next}; no slot found before is valid any more
   */
  public void remove(int slot) {
    int mask = slots.length - 1;
    int free = slot;
    // Entries that follow without a gap may have been put past this slot: they move up, so that
    // they are found without it.
    for (int i = free + 1 & mask; slots[i] != 0; i = i + 1 & mask) {
      int fromHome = i - (hash(slots[i]) >>> shift) & mask;
      int fromFree = i - free & mask;
      if (fromHome >= fromFree) {
        slots[free] = slots[i];
        free = i;
      }
    }
    slots[free] = 0;
    size--;
  }

  /** Removes all numbers, and keeps room for as many. */
  public void empty() {
    Arrays.fill(slots, 0);
    size = 0;
  }

  /** Removes all numbers, and gives back what it has grown by. */
  public void clear() {
    if (slots.length > firstSlots) {
      allocate(firstSlots);
    } else if (size > 0) {
      Arrays.fill(slots, 0);
    }
    size = 0;
  }

  private static int hash(long entry) {
    return (int) (entry >>> 32);
  }
}
