package stackweave.engine.timer.threads;

import java.util.Arrays;

/** Threads with what is known of their stacks, without boxing. Not thread-safe. */
public final class StackList {
  private int size;
  private int[] tids = new int[64];
  private long[] starts = new long[64];
  private long[] ends = new long[64];
  private long[] accounted = new long[64];

  /**
   * Appends a thread.
   *
   * @param end the first address above its stack; 0 if the stack is not known
   * @param accountedFrom as {@link TimerThreads#begin} takes it, or whatever the caller likes
   */
  public void add(int tid, long start, long end, long accountedFrom) {
    int i = size++;
    if (i == ends.length) {
      tids = Arrays.copyOf(tids, 2 * i);
      starts = Arrays.copyOf(starts, 2 * i);
      ends = Arrays.copyOf(ends, 2 * i);
      accounted = Arrays.copyOf(accounted, 2 * i);
    }
    starts[i] = start;
    ends[i] = end;
    accounted[i] = accountedFrom;
    tids[i] = tid;
  }

  /** The number of threads. */
  public int size() {
    return size;
  }

  /** The thread at an index. */
  public int tid(int i) {
    return tids[i];
  }

  /** What was given with it. */
  public long accountedFrom(int i) {
    return accounted[i];
  }

  /** Whether it has a thread; a linear search. */
  public boolean has(int tid) {
    for (int i = 0; i < size; i++) {
      if (tids[i] == tid) {
        return true;
      }
    }
    return false;
  }

  /** All threads; the first {@link #size} are valid. Not to be written. */
  public int[] tids() {
    return tids;
  }

  /** Where their stacks start, to be filled in. */
  public long[] starts() {
    return starts;
  }

  /** The first addresses above their stacks, to be filled in; 0: not known. */
  public long[] ends() {
    return ends;
  }

  /** Removes all. */
  public void clear() {
    size = 0;
  }
}
