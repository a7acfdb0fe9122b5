package stackweave.hotspot.table;

import java.util.Arrays;

/**
 * Longs that are not 0, without boxing: open addressing with linear probing. Bounded: at three
 * quarters of its capacity it is emptied. {@link LongTable} is the same with values. Not
 * thread-safe.
 */
public final class LongSet {
  private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

  /** 0 where a slot is free. */
  private final long[] keys;

  private final int shift;
  private final int maxSize;
  private int size;

  /**
   * @param capacity a power of two, 4 or more
   */
  public LongSet(int capacity) {
    if (capacity < 4 || Integer.bitCount(capacity) != 1) {
      throw new IllegalArgumentException("no power of two from 4 on: " + capacity);
    }
    keys = new long[capacity];
    shift = Long.SIZE - Integer.numberOfTrailingZeros(capacity);
    maxSize = capacity / 4 * 3;
  }

  /** Whether {@code key} was added. */
  public boolean contains(long key) {
    return key != 0 && keys[slot(key)] == key;
  }

  /**
   * Adds {@code key}.
   *
   * @param key not 0
   * @return true if the set was full, and was emptied first
   */
  public boolean add(long key) {
    int i = slot(key);
    if (keys[i] == key) {
      return false;
    }
    boolean full = size == maxSize;
    if (full) {
      clear();
      i = slot(key);
    }
    keys[i] = key;
    size++;
    return full;
  }

  /** Forgets all. */
  void clear() {
    Arrays.fill(keys, 0);
    size = 0;
  }

  /** How many there are. */
  int size() {
    return size;
  }

  /** Where {@code key} is, or the free slot where it would be. */
  private int slot(long key) {
    int i = (int) (key * GOLDEN_RATIO >>> shift);
    while (keys[i] != 0 && keys[i] != key) {
      i = (i + 1) & (keys.length - 1);
    }
    return i;
  }
}
