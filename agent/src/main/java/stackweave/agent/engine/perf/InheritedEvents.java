package stackweave.agent.engine.perf;

import java.util.Arrays;

/** Since when threads have an event that they, or what they start, inherit. By open addressing. */
final class InheritedEvents {
  /** Not in the table. */
  static final long NEVER = Long.MIN_VALUE;

  private static final int MIN_SLOTS = 1024;

  /** Should ends get lost in masses, better forget all than grow without end. */
  private static final int MAX = 1 << 18;

  /** No thread has id 0. */
  private int[] tids = new int[MIN_SLOTS];

  private long[] times = new long[MIN_SLOTS];
  private int count;

  /** {@link #NEVER} for a thread that has no such event. */
  long since(int tid) {
    int slot = find(tid);
    return tids[slot] == tid ? times[slot] : NEVER;
  }

  void put(int tid, long timeNanos) {
    if (2 * (count + 1) > tids.length) {
      makeRoom();
    }
    int slot = find(tid);
    count += tids[slot] == 0 ? 1 : 0;
    tids[slot] = tid;
    times[slot] = timeNanos;
  }

  /** Closes the gap: an entry behind it that it kept from its own slot moves up. */
  void remove(int tid) {
    int gap = find(tid);
    if (tids[gap] == 0) {
      return;
    }
    int mask = tids.length - 1;
    for (int i = (gap + 1) & mask; tids[i] != 0; i = (i + 1) & mask) {
      int home = home(tids[i], mask);
      if (((i - home) & mask) >= ((i - gap) & mask)) {
        tids[gap] = tids[i];
        times[gap] = times[i];
        gap = i;
      }
    }
    tids[gap] = 0;
    count--;
  }

  void clear() {
    if (count > 0) {
      Arrays.fill(tids, 0);
      count = 0;
    }
  }

  private void makeRoom() {
    if (count >= MAX) {
      clear();
      return;
    }
    int[] oldTids = tids;
    long[] oldTimes = times;
    tids = new int[2 * oldTids.length];
    times = new long[tids.length];
    for (int i = 0; i < oldTids.length; i++) {
      if (oldTids[i] != 0) {
        int slot = find(oldTids[i]);
        tids[slot] = oldTids[i];
        times[slot] = oldTimes[i];
      }
    }
  }

  /** The slot of the thread, or the free one where it would go. */
  private int find(int tid) {
    int mask = tids.length - 1;
    int slot = home(tid, mask);
    while (tids[slot] != 0 && tids[slot] != tid) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private static int home(int tid, int mask) {
    return (tid * 0x9E3779B9 >>> 12) & mask;
  }
}
