package stackweave.agent.decode.thread;

/**
 * When the Java threads are looked through again: soon for an unknown thread, though not for each
 * of a storm of them, and every few seconds; less often where a look takes long, since there are
 * many threads. Times are in ns of {@link System#nanoTime}. Not thread-safe.
 */
final class ThreadLooks {
  private static final long STORM_NANOS = 20_000_000L;
  private static final long RENAME_NANOS = 2_000_000_000L;

  /** A look is followed by so many times the time it took without one. */
  private static final int COST_SHARE = 50;

  private boolean any;
  private long last;

  /**
   * What a look takes. Single looks may take much longer: the first loads classes, and in any the
   * thread may be kept from its CPU. So one look at most doubles it.
   */
  private long cost = STORM_NANOS / COST_SHARE;

  /**
   * @param unknown whether the thread in question was not looked for before
   */
  boolean isDue(long now, boolean unknown) {
    return !any || now - last > Math.max(unknown ? STORM_NANOS : RENAME_NANOS, COST_SHARE * cost);
  }

  /** The threads were looked through. */
  void done(long begin, long end) {
    any = true;
    last = begin;
    cost = Math.min(Math.max(1, end - begin), 2 * cost);
  }
}
