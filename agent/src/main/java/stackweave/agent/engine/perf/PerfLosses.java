package stackweave.agent.engine.perf;

/**
 * Estimates the CPU time of lost records. The kernel reports their number but not their periods, so
 * each counts as much as the mean record that arrived at the same time. Used by {@link
 * PerfThreadEngine}; not thread-safe.
 */
final class PerfLosses {
  private long lost;
  private long raw;
  private long rawNanos;
  private double nanos;

  /**
   * Updates the estimate from the present values of cumulative counters.
   *
   * @param intervalNanos what a record stands for if none has arrived
   */
  void add(long lostNow, long rawNow, long rawNanosNow, long intervalNanos) {
    double mean = rawNow > raw ? (double) (rawNanosNow - rawNanos) / (rawNow - raw) : intervalNanos;
    nanos += (lostNow - lost) * mean;
    lost = lostNow;
    raw = rawNow;
    rawNanos = rawNanosNow;
  }

  /** CPU time of all lost records, in ns. */
  long nanos() {
    return (long) nanos;
  }
}
