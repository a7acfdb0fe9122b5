package stackweave.agent.engine.perf;

/**
 * Decides whether so many threads end that the interval misses them. A thread's last incomplete
 * interval is not sampled, on average half an interval per thread. If that is more than a few
 * percent of what was sampled, threads should inherit a shorter period. Used by {@link PerfEngine}
 * on the drain thread.
 */
final class ShortThreads {
  /** At shorter intervals too little is missed. */
  private static final long MIN_INTERVAL_NANOS = 1_000_000;

  private static final long LOOK_NANOS = 50_000_000L;
  private static final long WINDOW_NANOS = 1_000_000_000L;

  /** How long short threads are still expected after the last one. */
  private static final long LINGER_NANOS = 10_000_000_000L;

  /** Fewer ends within a second are ignored, however idle the process is. */
  private static final int FEW = 4;

  private static final int TOLERATED_PERCENT = 2;

  private final long intervalNanos;
  private long lookedAt;
  private long windowBegan;
  private long sampledBefore;
  private long ends;
  private long wantedUntil;
  private boolean wanted;

  ShortThreads(long intervalNanos, long nowNanos) {
    this.intervalNanos = intervalNanos;
    this.lookedAt = nowNanos;
    this.windowBegan = nowNanos;
  }

  /** Whether short threads matter at this interval. */
  static boolean matter(long intervalNanos) {
    return intervalNanos >= MIN_INTERVAL_NANOS;
  }

  /** A thread has ended. */
  void ended() {
    ends++;
  }

  /**
   * Whether threads should inherit a shorter period.
   *
   * @param sampledNanos CPU time that all samples so far stand for, in ns
   */
  boolean areAtWork(long nowNanos, long sampledNanos) {
    if (matter(intervalNanos) && nowNanos - lookedAt >= LOOK_NANOS) {
      look(nowNanos, sampledNanos);
    }
    return wanted;
  }

  private void look(long nowNanos, long sampledNanos) {
    lookedAt = nowNanos;
    long missed = ends * (intervalNanos / 2);
    long all = sampledNanos - sampledBefore + missed;
    if (ends >= FEW && missed * 100 > all * TOLERATED_PERCENT) {
      wanted = true;
      wantedUntil = nowNanos + LINGER_NANOS;
    } else if (nowNanos - wantedUntil >= 0) {
      wanted = false;
    }
    if (nowNanos - windowBegan >= WINDOW_NANOS) {
      windowBegan = nowNanos;
      sampledBefore = sampledNanos;
      ends = 0;
    }
  }
}
