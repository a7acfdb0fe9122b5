package stackweave.agent.engine.timer.threads;

import java.util.Arrays;

/** A growing list of thread ids. Not thread-safe. */
public final class ThreadIds {
  private int[] ids = new int[64];
  private int size;

  public void add(int tid) {
    if (size == ids.length) {
      ids = Arrays.copyOf(ids, 2 * size);
    }
    ids[size++] = tid;
  }

  public int size() {
    return size;
  }

  public int get(int index) {
    return ids[index];
  }

  /** The ids; the first {@link #size} are valid. Not to be written. */
  public int[] array() {
    return ids;
  }

  void set(int index, int tid) {
    ids[index] = tid;
  }

  /** Where an id is, or −1. */
  public int indexOf(int tid) {
    for (int i = 0; i < size; i++) {
      if (ids[i] == tid) {
        return i;
      }
    }
    return -1;
  }

  /** Takes an id out; the last one takes its place. */
  void remove(int index) {
    ids[index] = ids[--size];
  }

  /** Takes the first ids out; the others keep their order. */
  public void removeFirst(int count) {
    System.arraycopy(ids, count, ids, 0, size - count);
    size -= count;
  }

  public void clear() {
    size = 0;
  }
}
