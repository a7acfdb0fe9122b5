package stackweave.unwind.hash;

import java.util.Arrays;

/**
 * Objects by a long that is not 0: an open-addressing hash table, linear probing, at most three
 * quarters full. Bounded: at its limit it is emptied, so that no access needs bookkeeping.
 * Allocates only to grow. Not thread-safe.
 */
public final class LongTable<T> {
  private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

  /** 0 where a slot is free. */
  private long[] keys;

  private Object[] values;
  private int shift;
  private final int firstSlots;
  private final int maxSize;
  private int size;

  /**
   * One that never grows, and is emptied when it is three quarters full.
   *
   * @param slots a power of two, 4 or more
   */
  public LongTable(int slots) {
    this(slots, slots / 4 * 3);
  }

  /**
   * One that grows.
   *
   * @param firstSlots a power of two, 4 or more; it has so many again after {@link #clear}
   * @param maxSize how many keys it has at most; it is emptied before it takes one more
   */
  public LongTable(int firstSlots, int maxSize) {
    if (firstSlots < 4 || Integer.bitCount(firstSlots) != 1) {
      throw new IllegalArgumentException("no power of two from 4 on: " + firstSlots);
    }
    this.firstSlots = firstSlots;
    this.maxSize = maxSize;
    allocate(firstSlots);
  }

  private void allocate(int slots) {
    long[] newKeys = new long[slots];
    values = new Object[slots]; // both or none, if there is no memory
    keys = newKeys;
    shift = Long.SIZE - Integer.numberOfTrailingZeros(slots);
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
    if (keys[i] == 0) {
      if (full) {
        clear();
      } else if (size == keys.length / 4 * 3) {
        grow();
      }
      i = slot(key);
      keys[i] = key;
      size++;
    }
    values[i] = value;
    return full;
  }

  private void grow() {
    long[] oldKeys = keys;
    Object[] oldValues = values;
    allocate(Math.multiplyExact(oldKeys.length, 2));
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != 0) {
        int slot = slot(oldKeys[i]);
        keys[slot] = oldKeys[i];
        values[slot] = oldValues[i];
      }
    }
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

  /** Forgets all, and gives back what it has grown by. */
  public void clear() {
    if (keys.length > firstSlots) {
      allocate(firstSlots);
    } else {
      Arrays.fill(keys, 0);
      Arrays.fill(values, null);
    }
    size = 0;
  }

  /** How many keys have a value. */
  public int size() {
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
