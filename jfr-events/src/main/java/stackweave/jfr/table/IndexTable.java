package stackweave.jfr.table;

import java.util.Arrays;

/**
 * An open-addressing hash table of indexes into columns that its user keeps, who compares keys and
 * makes hashes. A search begins at {@link #slot} and goes on with {@link #next} until {@link #at}
 * has the index that is wanted, or -1: there {@link #put} adds one. Not thread-safe.
 */
public final class IndexTable {
  /** Index + 1, 0 for free. */
  private int[] slots;

  /**
   * @param capacity indexes that it is to hold, a power of two; it is never more than half full
   */
  public IndexTable(int capacity) {
    clear(capacity);
  }

  /** Forgets all indexes. */
  public void clear(int capacity) {
    if (Integer.bitCount(capacity) != 1 || capacity > 1 << 29) {
      throw new IllegalArgumentException("capacity " + capacity);
    }
    if (slots != null && slots.length == 2 * capacity) {
      Arrays.fill(slots, 0);
    } else {
      slots = new int[2 * capacity];
    }
  }

  /** The most indexes that it may hold. */
  public int capacity() {
    return slots.length / 2;
  }

  /** Where the search for a key with this hash begins. */
  public int slot(int hash) {
    return hash & slots.length - 1;
  }

  /** Where it goes on. */
  public int next(int slot) {
    return slot + 1 & slots.length - 1;
  }

  /** The index in a slot; -1 if it is free. */
  public int at(int slot) {
    return slots[slot] - 1;
  }

  /** Puts an index into a free slot. */
  public void put(int slot, int index) {
    slots[slot] = index + 1;
  }

  /** Puts an index that is not there yet where a search for its hash finds it. */
  public void add(int hash, int index) {
    int slot = slot(hash);
    while (slots[slot] != 0) {
      slot = next(slot);
    }
    put(slot, index);
  }
}
