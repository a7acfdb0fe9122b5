package stackweave.agent.feature.waiting;

import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;

/**
 * Limits the CPU time of looks at waiting threads to a share of a core: an account is credited with
 * a share of the time that passes. Used by {@link WallSampler}, which postpones looks when it is
 * overdrawn. Times are in ns. Not thread-safe.
 */
final class WallBudget {
  /** The part of the drain thread's limit (option {@code drain}) that looks may use: a fifth. */
  private static final int PART = 5;

  /** Initial credit: the first stacks meet empty caches and code that is not compiled yet. */
  static final long START_NANOS = 300_000_000L;

  /** Wall-clock time whose share may be saved up. */
  static final long CEILING_NANOS = 1_000_000_000L;

  /** Wall-clock time whose share may be owed, which bounds how long repayment takes. */
  static final long FLOOR_NANOS = 2_000_000_000L;

  private final double share;
  private long credit = START_NANOS;
  private long at;

  /**
   * @param drainPercent CPU limit of the drain thread, in percent of a core, 1 to 100
   * @param now as {@link System#nanoTime}
   */
  WallBudget(int drainPercent, long now) {
    share = drainPercent / 100.0 / PART;
    at = now;
  }

  /** The limit of looks as text for users. */
  String limit() {
    return "to use no more than "
        + Math.round(1_000 * share) / 10.0
        + " % of a core for them (a fifth of drain=)";
  }

  /** Wall-clock time until the account is not overdrawn any more; 0 if it is not. */
  long nanosInDebt() {
    return credit >= 0 ? 0 : (long) (-credit / share);
  }

  /** The credit in ns of CPU time; negative if the account is overdrawn. */
  long credit() {
    return credit;
  }

  /** Credits the time since the last call. */
  void begin(long now) {
    long ceiling = (long) (share * CEILING_NANOS);
    if (credit < ceiling) {
      credit = Math.min(ceiling, credit + (long) (share * (now - at)));
    }
    at = now;
  }

  /** Debits CPU time that was used, and counts it. */
  void used(long nanos, Counters counters, Counter counter) {
    used(nanos);
    counters.add(counter, nanos);
  }

  /** Debits CPU time that was used. */
  void used(long nanos) {
    credit = Math.max(credit - nanos, -(long) (share * FLOOR_NANOS));
  }
}
