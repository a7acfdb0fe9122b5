package stackweave.agent.engine.perf;

/**
 * What lost records stood for: the kernel says how many there were, not of which period, so each
 * counts as much as those that arrived in the same time did on the average.
 */
final class PerfLosses {
  private long lost;
  private long raw;
  private long rawNanos;
  private double nanos;

  /**
   * Takes the present state of counters that only grow.
   *
   * @param intervalNanos what a record stands for where none has arrived
   */
  void add(long lostNow, long rawNow, long rawNanosNow, long intervalNanos) {
    double mean = rawNow > raw ? (double) (rawNanosNow - rawNanos) / (rawNow - raw) : intervalNanos;
    nanos += (lostNow - lost) * mean;
    lost = lostNow;
    raw = rawNow;
    rawNanos = rawNanosNow;
  }

  /** CPU time of all that were lost. */
  long nanos() {
    return (long) nanos;
  }
}
