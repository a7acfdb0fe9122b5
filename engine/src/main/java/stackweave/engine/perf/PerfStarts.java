package stackweave.engine.perf;

/**
 * Decides whether threads start so often that inheriting events costs too much: more than a tenth
 * of a core over five seconds, so that a pool may start at once. Used by {@link PerfThreadEngine};
 * not thread-safe.
 */
final class PerfStarts {
  private long windowBegan;
  private long startsBefore;

  PerfStarts(long nowNanos) {
    this.windowBegan = nowNanos;
  }

  /**
   * Whether threads start too often.
   *
   * @param starts threads started so far
   * @param eventsPerThread events that each inherits
   */
  boolean areTooMany(long starts, int eventsPerThread, long nowNanos) {
    long nanos = PerfBudget.startNanos((starts - startsBefore) * eventsPerThread);
    if (nanos > PerfBudget.STARTS_BUDGET_NANOS) {
      return true;
    }
    if (nowNanos - windowBegan >= PerfBudget.STARTS_NANOS) {
      windowBegan = nowNanos;
      startsBefore = starts;
    }
    return false;
  }
}
