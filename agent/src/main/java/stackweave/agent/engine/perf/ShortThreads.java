package stackweave.agent.engine.perf;

/**
 * Decides whether threads come and go so fast that the interval misses them.
 *
 * <p>A thread's events begin with a full interval, and what it has used since its last sample ends
 * with it: on the average half an interval is missed per thread that ends, and all of a thread that
 * is shorter. Where that is more than a few percent of what was sampled, threads shall inherit a
 * shorter period.
 */
final class ShortThreads {
  /** At shorter intervals threads that matter are long enough. */
  private static final long MIN_INTERVAL_NANOS = 1_000_000;

  private static final long LOOK_NANOS = 50_000_000L;
  private static final long WINDOW_NANOS = 1_000_000_000L;

  /** So long after the last of them short threads are expected still. */
  private static final long LINGER_NANOS = 10_000_000_000L;

  /** Fewer ends than this within a second are of no account, however idle the process is. */
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

  /** Whether threads are looked after that are short against an interval. */
  static boolean matter(long intervalNanos) {
    return intervalNanos >= MIN_INTERVAL_NANOS;
  }

  /** A thread has ended. */
  void ended() {
    ends++;
  }

  /**
   * Whether a shorter period shall be inherited.
   *
   * @param sampledNanos CPU time that all samples so far stand for
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
