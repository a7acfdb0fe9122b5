package stackweave.agent.decode.thread;

/**
 * Decides when the Java threads are listed again: soon after an unknown thread, but not after each
 * one when many start, and every few seconds; less often if listing takes long, because there are
 * many threads. Times are in ns of {@link System#nanoTime}. Not thread-safe.
 */
final class ThreadLooks {
  private static final long STORM_NANOS = 20_000_000L;
  private static final long RENAME_NANOS = 2_000_000_000L;

  /** The pause after a listing, in multiples of the time that it took. */
  private static final int COST_SHARE = 50;

  private boolean any;
  private long last;

  /**
   * Estimated time of a listing. A single one may take much longer, because it loads classes or the
   * thread loses its CPU; so one listing at most doubles the estimate.
   */
  private long cost = STORM_NANOS / COST_SHARE;

  /**
   * @param unknown whether the thread was not looked for before
   */
  boolean isDue(long now, boolean unknown) {
    return !any || now - last > Math.max(unknown ? STORM_NANOS : RENAME_NANOS, COST_SHARE * cost);
  }

  /** Records a listing. */
  void done(long begin, long end) {
    any = true;
    last = begin;
    cost = Math.min(Math.max(1, end - begin), 2 * cost);
  }
}
