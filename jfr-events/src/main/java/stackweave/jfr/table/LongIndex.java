package stackweave.jfr.table;

import java.util.Arrays;

/** Positions of numbers: dense, from 0, in the order in which they came. Not thread-safe. */
public final class LongIndex {
  private static final int FIRST_CAPACITY = 1_024;

  private final IndexTable table = new IndexTable(FIRST_CAPACITY);
  private long[] keys = new long[FIRST_CAPACITY];
  private int count;

  /** The position of {@code key}, -1 if there is none. */
  public int find(long key) {
    int slot = table.slot(hash(key));
    int index = table.at(slot);
    while (index >= 0 && keys[index] != key) {
      slot = table.next(slot);
      index = table.at(slot);
    }
    return index;
  }

  /** The position of {@code key}; a new one, the {@link #count} until then, if there was none. */
  public int add(long key) {
    int found = find(key);
    if (found >= 0) {
      return found;
    }
    if (count == keys.length) {
      keys = Arrays.copyOf(keys, 2 * count);
      table.clear(keys.length);
      for (int i = 0; i < count; i++) {
        table.add(hash(keys[i]), i);
      }
    }
    keys[count] = key;
    table.add(hash(key), count);
    return count++;
  }

  /** How many keys there are. */
  public int count() {
    return count;
  }

  private static int hash(long key) {
    long h = key * 0x9E3779B97F4A7C15L;
    return (int) (h >>> 32);
  }
}
