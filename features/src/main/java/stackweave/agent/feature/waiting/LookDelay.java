package stackweave.agent.feature.waiting;

/**
 * How long a thread must have been blocked before it is looked at. If more threads are due than the
 * budget has looks for, the delay grows until the budget suffices, so that the longest blocks are
 * seen. Used by {@link BlockedSampler}. Times are in ns. Not thread-safe.
 */
final class LookDelay {
  /** How often it changes. */
  static final long ADJUST_NANOS = 500_000_000L;

  /** A block of a second gets a look in any case. */
  static final long MAX_NANOS = 1_000_000_000L;

  private static final double LONGER = 1.5;
  private static final double SHORTER = 0.8;

  private final long shortest;
  private long nanos;
  private long at;
  private boolean wasPutOff;

  /**
   * @param shortest the threshold of an event
   * @param now as {@link System#nanoTime}
   */
  LookDelay(long shortest, long now) {
    this.shortest = shortest;
    this.nanos = shortest;
    this.at = now;
  }

  /** The delay from the time at which a thread leaves its CPU; at least the threshold. */
  long nanos() {
    return nanos;
  }

  /** Records that a thread was due and the budget had no look for it. */
  void putOff() {
    wasPutOff = true;
  }

  /** Changes the delay, if the last change is long enough ago. */
  void adjust(long now) {
    if (now - at < ADJUST_NANOS) {
      return;
    }
    double wanted = nanos * (wasPutOff ? LONGER : SHORTER);
    nanos = Math.max(shortest, (long) Math.min(MAX_NANOS, wanted));
    wasPutOff = false;
    at = now;
  }
}
