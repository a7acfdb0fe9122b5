package stackweave.hotspot;

import java.util.Arrays;

/**
 * Objects by a long that is not 0, without boxing: open addressing, at most three quarters full; at
 * that point it is emptied, which bounds it without bookkeeping per access.
 */
final class LongTable<T> {
  private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

  private final long[] keys;
  private final Object[] values;
  private final int shift;
  private final int most;
  private int size;

  /**
   * @param capacity a power of two
   */
  LongTable(int capacity) {
    keys = new long[capacity];
    values = new Object[capacity];
    shift = 64 - Integer.numberOfTrailingZeros(capacity);
    most = capacity / 4 * 3;
  }

  @SuppressWarnings("unchecked")
  T get(long key) {
    for (int i = slot(key); keys[i] != 0; i = (i + 1) & (keys.length - 1)) {
      if (keys[i] == key) {
        return (T) values[i];
      }
    }
    return null;
  }

  /** Replaces or adds; true if the table was full and was emptied for it. */
  boolean put(long key, T value) {
    boolean full = size == most;
    if (full) {
      clear();
    }
    int i = slot(key);
    while (keys[i] != 0 && keys[i] != key) {
      i = (i + 1) & (keys.length - 1);
    }
    if (keys[i] == 0) {
      keys[i] = key;
      size++;
    }
    values[i] = value;
    return full;
  }

  /** Forgets the value; its place is kept for the same key. */
  void remove(long key) {
    for (int i = slot(key); keys[i] != 0; i = (i + 1) & (keys.length - 1)) {
      if (keys[i] == key) {
        values[i] = null;
        return;
      }
    }
  }

  void clear() {
    Arrays.fill(keys, 0);
    Arrays.fill(values, null);
    size = 0;
  }

  int size() {
    return size;
  }

  private int slot(long key) {
    return (int) (key * GOLDEN_RATIO >>> shift);
  }
}
