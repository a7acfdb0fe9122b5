package stackweave.agent.engine.perf;

import java.util.Arrays;
import stackweave.unwind.hash.LongIndex;

/** Since when threads have an event that they, or what they start, inherit. */
final class InheritedEvents {
  /** Not in the table. */
  static final long NEVER = Long.MIN_VALUE;

  /** Should ends get lost in masses, better forget all than grow without end. */
  private static final int MAX = 1 << 18;

  private final LongIndex tids = new LongIndex();
  private long[] times = new long[tids.capacity()];

  /** {@link #NEVER} for a thread that has no such event. */
  long since(int tid) {
    int position = tids.find(tid);
    return position == LongIndex.NONE ? NEVER : times[position];
  }

  void put(int tid, long timeNanos) {
    if (tids.count() >= MAX) {
      clear();
    }
    int position = tids.add(tid);
    if (times.length < tids.capacity()) {
      times = Arrays.copyOf(times, tids.capacity());
    }
    times[position] = timeNanos;
  }

  void remove(int tid) {
    tids.remove(tid);
  }

  void clear() {
    tids.clear();
  }
}
