package stackweave.agent.feature.waiting;

import java.util.SplittableRandom;

/**
 * Decides which threads are looked at next: those that are due, in turn. Used by {@link
 * WallSampler}; allocates nothing. Times are in ns, by {@link System#nanoTime}.
 */
final class WallSchedule {
  /** The longest time between two looks at a thread, if there are no more threads than these. */
  private static final long MAX_PAUSE_NANOS = 1_000_000_000L;

  private static final int FEW_THREADS = 1_000;

  /** Time until the next look at a thread that may or may not be a Java thread. */
  private static final long UNDECIDED_NANOS = 20_000_000L;

  private final KnownThreads<WallThread> threads;
  private final long intervalNanos;
  private final SplittableRandom random = new SplittableRandom();

  /** Where the next walk begins. */
  private int nextStart;

  private int start;
  private int limit;
  private int walked;

  /**
   * @param intervalNanos time between two looks at a thread that runs now and then
   */
  WallSchedule(KnownThreads<WallThread> threads, long intervalNanos) {
    this.threads = threads;
    this.intervalNanos = intervalNanos;
  }

  // ---- the walk through the threads that are due

  /** Begins to walk through the threads, where the last walk ended. */
  void walk() {
    limit = threads.size();
    start = limit == 0 ? 0 : nextStart % limit;
    walked = 0;
  }

  /** The next thread that is due; null at the walk's end. */
  WallThread next(long now) {
    while (walked < limit) {
      int i = start + walked < limit ? start + walked : start + walked - limit;
      walked++;
      WallThread t = i < threads.size() ? threads.get(i) : null; // others may have been removed
      if (t != null && isDue(t, now)) {
        return t;
      }
    }
    nextStart = limit == 0 ? 0 : random.nextInt(limit);
    return null;
  }

  /** Stops the walk before its end; the next walk continues there. */
  void stop() {
    nextStart = limit == 0 ? 0 : (start + walked) % limit;
  }

  /** Whether any thread is due. */
  boolean isAnyDue(long now) {
    for (int i = 0; i < threads.size(); i++) {
      if (isDue(threads.get(i), now)) {
        return true;
      }
    }
    return false;
  }

  private boolean isDue(WallThread t, long now) {
    return (t.kind == WallThread.Kind.WATCHED || t.kind == WallThread.Kind.NEW) && now - t.due >= 0;
  }

  // ---- pauses

  /** Time until the next pass: an interval, randomised so as not to match a thread's own period. */
  long passPause() {
    return intervalNanos / 2 + random.nextLong(intervalNanos);
  }

  /** About half an interval: passes are an interval apart. */
  long shortPause() {
    return intervalNanos / 4 + random.nextLong(intervalNanos / 2 + 1);
  }

  /** Time until it may be known whether a thread is a Java thread. */
  long undecidedPause() {
    return Math.max(UNDECIDED_NANOS, shortPause());
  }

  /**
   * Time until the next look at a thread that has not run for {@code restedNanos}: a part of that,
   * which is larger with many threads. It only decides how precisely the end of the wait is known,
   * which is correct on average.
   *
   * @param watched how many threads are looked at
   */
  long restPause(long restedNanos, int watched) {
    int part = watched <= FEW_THREADS / 2 ? 8 : watched <= 2 * FEW_THREADS ? 4 : 2;
    long pause = restedNanos / part + random.nextLong(restedNanos / part + 1);
    long longest = MAX_PAUSE_NANOS * Math.max(1, watched / FEW_THREADS);
    return Math.max(shortPause(), Math.min(longest, pause));
  }
}
