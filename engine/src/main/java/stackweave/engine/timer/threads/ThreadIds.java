package stackweave.engine.timer.threads;

import java.util.Arrays;

/** A growing list of thread ids, without boxing. Not thread-safe. */
public final class ThreadIds {
  private int[] ids = new int[64];
  private int size;

  /** Appends an id. */
  public void add(int tid) {
    if (size == ids.length) {
      ids = Arrays.copyOf(ids, 2 * size);
    }
    ids[size++] = tid;
  }

  /** The number of ids. */
  public int size() {
    return size;
  }

  /** The id at an index below {@link #size}. */
  public int get(int index) {
    return ids[index];
  }

  /** The ids; the first {@link #size} are valid. Not to be written. */
  public int[] array() {
    return ids;
  }

  /** The index of an id, or −1; a linear search. */
  public int indexOf(int tid) {
    for (int i = 0; i < size; i++) {
      if (ids[i] == tid) {
        return i;
      }
    }
    return -1;
  }

  /** Removes the first ids; the others keep their order. */
  public void removeFirst(int count) {
    System.arraycopy(ids, count, ids, 0, size - count);
    size -= count;
  }

  /** Removes all ids. */
  public void clear() {
    size = 0;
  }
}
