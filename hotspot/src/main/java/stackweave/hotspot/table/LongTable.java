package stackweave.hotspot.table;

import java.util.Arrays;

/**
 * Objects by a long that is not 0, without boxing: open addressing with linear probing. Bounded: at
 * three quarters of its capacity it is emptied, so that no access needs bookkeeping. {@link
 * LongSet} is the same without values. Not thread-safe.
 */
public final class LongTable<T> {
  private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

  /** 0 where a slot is free. */
  private final long[] keys;

  private final Object[] values;
  private final int shift;
  private final int maxSize;
  private int size;

  /**
   * @param capacity a power of two, 4 or more
   */
  public LongTable(int capacity) {
    if (capacity < 4 || Integer.bitCount(capacity) != 1) {
      throw new IllegalArgumentException("no power of two from 4 on: " + capacity);
    }
    keys = new long[capacity];
    values = new Object[capacity];
    shift = Long.SIZE - Integer.numberOfTrailingZeros(capacity);
    maxSize = capacity / 4 * 3;
  }

  /** The value of {@code key}, or null if there is none. */
  @SuppressWarnings("unchecked")
  public T get(long key) {
    for (int i = home(key); keys[i] != 0; i = next(i)) {
      if (keys[i] == key) {
        return (T) values[i];
      }
    }
    return null;
  }

  /**
   * Replaces the value of {@code key}, or adds it.
   *
   * @param key not 0
   * @return true if the table was full, and was emptied first
   */
  public boolean put(long key, T value) {
    int i = slot(key);
    boolean full = keys[i] == 0 && size == maxSize;
    if (full) {
      clear();
      i = home(key);
    }
    if (keys[i] == 0) {
      keys[i] = key;
      size++;
    }
    values[i] = value;
    return full;
  }

  /** Forgets the value of {@code key}, if there is one. */
  public void remove(long key) {
    int free = slot(key);
    if (keys[free] == 0) {
      return;
    }
    // What follows without a gap may have been put past this slot: it moves up, so that it is
    // found without the slot.
    for (int i = next(free); keys[i] != 0; i = next(i)) {
      int mask = keys.length - 1;
      boolean reachesFree = ((i - home(keys[i])) & mask) >= ((i - free) & mask);
      if (reachesFree) {
        keys[free] = keys[i];
        values[free] = values[i];
        free = i;
      }
    }
    keys[free] = 0;
    values[free] = null;
    size--;
  }

  /** Forgets all. */
  public void clear() {
    Arrays.fill(keys, 0);
    Arrays.fill(values, null);
    size = 0;
  }

  /** How many keys have a value. */
  int size() {
    return size;
  }

  /** Where {@code key} is, or the free slot where it would be. */
  private int slot(long key) {
    int i = home(key);
    while (keys[i] != 0 && keys[i] != key) {
      i = next(i);
    }
    return i;
  }

  private int home(long key) {
    return (int) (key * GOLDEN_RATIO >>> shift);
  }

  private int next(int i) {
    return (i + 1) & (keys.length - 1);
  }
}
