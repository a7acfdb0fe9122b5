package stackweave.engine.perf;

/**
 * Decides whether events that threads inherit cost too much: there are so many threads that the
 * budget is reached, or they start so often that inheriting takes more than a tenth of a core over
 * five seconds. A pool may start at once. Not thread-safe.
 */
final class ThreadWatch {
  private static final int LEAST_MILLIS = 5;
  private static final int MOST_MILLIS = 40;

  /** More threads than a process can start in a millisecond: each takes 20 µs or more of a core. */
  private static final int STARTS_PER_MILLI = 50;

  /** CPU time of an inherited event for a thread's start and end, in ns. */
  private static final long EVENT_NANOS = 5_500;

  /** The period over which thread starts are counted, and the CPU time that they may cost in it. */
  private static final long STARTS_NANOS = 5_000_000_000L;

  private static final long STARTS_BUDGET_NANOS = STARTS_NANOS / 10;

  private final PerfBudget budget;
  private final int eventsPerThread;
  private final int millis;
  private long watchedAt;
  private long windowBegan;
  private long startsBefore;

  /**
   * @param eventsPerThread events that each thread inherits
   */
  ThreadWatch(PerfBudget budget, int eventsPerThread, long nowNanos) {
    this.budget = budget;
    this.eventsPerThread = eventsPerThread;
    long most = budget.bytes() / 8 / PerfBudget.estimate(STARTS_PER_MILLI, eventsPerThread);
    this.millis = (int) Math.max(LEAST_MILLIS, Math.min(MOST_MILLIS, most));
    this.watchedAt = nowNanos;
    this.windowBegan = nowNanos;
  }

  /**
   * How often {@link #isTooMuch} must be called, in ms: threads that start between two calls must
   * not take more than an eighth of the budget.
   */
  int millis() {
    return millis;
  }

  /**
   * Whether they cost too much. Does nothing if it was called a moment ago.
   *
   * @param starts threads started so far
   */
  boolean isTooMuch(long starts, long nowNanos) {
    if (nowNanos - watchedAt < millis * 1_000_000L) {
      return false;
    }
    watchedAt = nowNanos;
    if (budget.isMet(budget.threads(), eventsPerThread)) {
      return true;
    }
    if ((starts - startsBefore) * eventsPerThread * EVENT_NANOS > STARTS_BUDGET_NANOS) {
      return true;
    }
    if (nowNanos - windowBegan >= STARTS_NANOS) {
      windowBegan = nowNanos;
      startsBefore = starts;
    }
    return false;
  }
}
