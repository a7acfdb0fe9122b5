package stackweave.unwind.hash;

import java.util.Arrays;

/**
 * Gives longs positions in columns that the user keeps: dense, from 0, in the order in which the
 * longs came. The position of a removed long goes to the next one that is added. Allocates only to
 * grow. Not thread-safe.
 */
public final class LongIndex {
  /** There is no such long. */
  public static final int NONE = -1;

  private static final int FIRST_CAPACITY = 1_024;

  private final HashIndex index;
  private final int firstCapacity;
  private long[] keys;

  /** Positions that were given so far, free ones among them. */
  private int end;

  /** Free positions, the one freed last at the end. */
  private int[] free = new int[16];

  private int freeCount;

  /** Makes an index with room for a thousand longs. */
  public LongIndex() {
    this(FIRST_CAPACITY);
  }

  /**
   * @param firstCapacity how many longs it has room for at first, and after {@link #clear}
   */
  public LongIndex(int firstCapacity) {
    this.firstCapacity = firstCapacity;
    index = new HashIndex(firstCapacity);
    keys = new long[firstCapacity];
  }

  /** The position of {@code key}, or {@link #NONE}. */
  public int find(long key) {
    int slot = slot(key);
    return slot == HashIndex.NONE ? NONE : index.at(slot);
  }

  private int slot(long key) {
    int slot = index.first(hash(key));
    while (slot != HashIndex.NONE && keys[index.at(slot)] != key) {
      slot = index.next(slot);
    }
    return slot;
  }

  /**
   * The position of {@code key}, below {@link #capacity}. A new key gets the position {@link
   * #count}, unless keys were removed.
   */
  public int add(long key) {
    int found = find(key);
    if (found != NONE) {
      return found;
    }
    int position = freeCount > 0 ? free[freeCount - 1] : end;
    if (position == keys.length) {
      keys = Arrays.copyOf(keys, Math.multiplyExact(keys.length, 2));
    }
    index.add(hash(key), position);
    // Only now: an OutOfMemoryError above has changed nothing.
    keys[position] = key;
    freeCount = Math.max(0, freeCount - 1);
    end = Math.max(end, position + 1);
    return position;
  }

  /** The key at a position that {@link #add} gave and that was not removed. */
  public long key(int position) {
    return keys[position];
  }

  /** Removes {@code key}, if it is there. */
  public void remove(long key) {
    int slot = slot(key);
    if (slot == HashIndex.NONE) {
      return;
    }
    if (freeCount == free.length) {
      free = Arrays.copyOf(free, Math.multiplyExact(free.length, 2));
    }
    free[freeCount++] = index.at(slot);
    index.remove(slot);
  }

  /** Removes all, and gives back what it has grown by. */
  public void clear() {
    index.clear();
    end = 0;
    freeCount = 0;
    if (keys.length > firstCapacity) {
      keys = new long[firstCapacity];
    }
  }

  /** How many longs there are. */
  public int count() {
    return index.size();
  }

  /** How long columns must be at present; only {@link #add} increases it. */
  public int capacity() {
    return keys.length;
  }

  private static int hash(long key) {
    return (int) (key * 0x9E3779B97F4A7C15L >>> 32);
  }
}
