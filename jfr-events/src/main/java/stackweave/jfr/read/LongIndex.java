package stackweave.jfr.read;

import java.util.Arrays;

/** Positions by ids, by open addressing; ids are dense from 0 in the order of their arrival. */
final class LongIndex {
  private long[] keys = new long[1_024];
  private int[] table = new int[2_048];
  private int count;

  /** The position of {@code key}, -1 if there is none. */
  int find(long key) {
    int mask = table.length - 1;
    int slot = hash(key) & mask;
    while (table[slot] != 0) {
      if (keys[table[slot] - 1] == key) {
        return table[slot] - 1;
      }
      slot = (slot + 1) & mask;
    }
    return -1;
  }

  /** The position of {@code key}, new at {@link #count} if there was none. */
  int add(long key) {
    int found = find(key);
    if (found >= 0) {
      return found;
    }
    if (count == keys.length) {
      keys = Arrays.copyOf(keys, 2 * count);
      table = new int[4 * count];
      for (int i = 0; i < count; i++) {
        put(i);
      }
    }
    keys[count] = key;
    put(count);
    return count++;
  }

  private void put(int index) {
    int mask = table.length - 1;
    int slot = hash(keys[index]) & mask;
    while (table[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    table[slot] = index + 1;
  }

  int count() {
    return count;
  }

  long key(int index) {
    return keys[index];
  }

  private static int hash(long key) {
    long h = key * 0x9E3779B97F4A7C15L;
    return (int) (h >>> 32);
  }
}
