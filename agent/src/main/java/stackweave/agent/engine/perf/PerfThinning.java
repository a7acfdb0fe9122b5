package stackweave.agent.engine.perf;

/**
 * Reduces samples that come more often than asked for. CPU time is cut into pieces of one interval,
 * and each piece is represented by the sample that a random moment of it falls into. So the weight
 * kept equals the weight that came to within two intervals in all, and each sample is kept with a
 * probability proportional to its period, however threads take turns. Used by {@link PerfRecords};
 * not thread-safe.
 */
final class PerfThinning {
  private final long intervalNanos;
  private long passed;
  private long pieces;
  private long chosen;
  private long random;

  PerfThinning(long intervalNanos, long seed) {
    this.intervalNanos = intervalNanos;
    this.random = seed | 1;
    this.chosen = nextRandom();
  }

  /**
   * The weight of the next sample.
   *
   * @param nanos CPU time that it stands for
   * @return a multiple of the interval, in ns; 0 if it is not kept
   */
  long weigh(long nanos) {
    passed += nanos;
    long weight = 0;
    while (passed > chosen) {
      weight += intervalNanos;
      pieces++;
      chosen = pieces * intervalNanos + nextRandom();
    }
    return weight;
  }

  /** A random number below the interval, by xorshift64. */
  private long nextRandom() {
    random ^= random << 13;
    random ^= random >>> 7;
    random ^= random << 17;
    return Long.remainderUnsigned(random, intervalNanos);
  }
}
