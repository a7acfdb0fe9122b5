package stackweave.unwind.hash;

import java.util.Arrays;

/**
 * Objects by longs, at the positions of a {@link LongIndex}. Bounded: at its limit it is emptied,
 * so that no access needs bookkeeping. Allocates only to grow. Not thread-safe.
 */
public final class LongTable<T> {
  private final LongIndex index;
  private final int maxSize;
  private Object[] values;

  /**
   * @param firstSize how many keys it has room for at first, and after {@link #clear}
   * @param maxSize how many keys it has at most; it is emptied before it takes one more
   */
  public LongTable(int firstSize, int maxSize) {
    this.index = new LongIndex(firstSize);
    this.maxSize = maxSize;
    this.values = new Object[index.capacity()];
  }

  /** The value of {@code key}, or null if there is none. */
  @SuppressWarnings("unchecked")
  public T get(long key) {
    int position = index.find(key);
    return position == LongIndex.NONE ? null : (T) values[position];
  }

  /**
   * Replaces the value of {@code key}, or adds it.
   *
   * @return true if the table was full, and was emptied first
   */
  public boolean put(long key, T value) {
    boolean fresh = index.find(key) == LongIndex.NONE;
    boolean full = fresh && index.count() == maxSize;
    if (full) {
      clear();
    } else if (fresh && index.count() == values.length) {
      // Before the key is added: this may throw an OutOfMemoryError.
      values = Arrays.copyOf(values, Math.multiplyExact(values.length, 2));
    }
    values[index.add(key)] = value;
    return full;
  }

  /** Forgets the value of {@code key}, if there is one. */
  public void remove(long key) {
    int position = index.find(key);
    if (position != LongIndex.NONE) {
      values[position] = null;
      index.remove(key);
    }
  }

  /** Forgets all, and gives back what it has grown by. */
  public void clear() {
    index.clear();
    values = new Object[index.capacity()];
  }

  /** How many keys have a value. */
  public int size() {
    return index.count();
  }
}
