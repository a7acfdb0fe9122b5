package stackweave.agent.engine.perf;

/**
 * Keeps of samples that come more often than asked for as many as their CPU time is worth.
 *
 * <p>The rule: CPU time is cut into pieces of one interval, and each piece is represented by the
 * sample in which a random moment of it falls. So what is kept weighs what came, to within two
 * intervals in all, and every sample is kept with a probability of its share of an interval,
 * whatever rhythm the threads take turns in.
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
   * What the next sample weighs.
   *
   * @param nanos CPU time that it stands for
   * @return a multiple of the interval; 0 if it is not kept
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

  /** Below the interval; xorshift64. */
  private long nextRandom() {
    random ^= random << 13;
    random ^= random >>> 7;
    random ^= random << 17;
    return Long.remainderUnsigned(random, intervalNanos);
  }
}
