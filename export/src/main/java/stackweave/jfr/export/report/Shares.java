package stackweave.jfr.export.report;

/**
 * The statistics of shares: samples are counts, so that a share has an interval. Shares of CPU time
 * are computed with the {@link #effective} number of samples. All intervals are of 95 %. Stateless.
 * The flame graph's page has the same in statistics.js.
 */
public final class Shares {
  /** Quantile of the normal distribution. */
  private static final double Z = 1.959964;

  /** Fewer samples make the logarithmic interval of a ratio too narrow. */
  static final double FEW = 5 - 1e-9;

  /** An interval, from low to high. */
  public record Interval(double low, double high) {
    /** Whether it contains 0: such a difference may be chance. */
    public boolean hasZero() {
      return low <= 0 && high >= 0;
    }
  }

  private Shares() {}

  /**
   * The number of samples of equal weight that would give a share of time as precisely as these (L.
   * Kish, "Survey Sampling", 1965). It is small if one sample weighs as much as all others, and the
   * number of samples if all weigh the same.
   *
   * @param part weight of the samples in the share, {@code partSquares} the sum of its squares
   * @param all the same for all samples
   */
  public static double effective(double part, double partSquares, double all, double allSquares) {
    if (all <= 0 || allSquares <= 0) {
      return 0;
    }
    double n = all * all / allSquares;
    double share = part / all;
    if (share <= 0 || share >= 1 || partSquares <= 0) {
      return n;
    }
    double rest = Math.max(0, allSquares - partSquares);
    double spread = (1 - share) * (1 - share) * partSquares + share * share * rest;
    double ofPart = part * (all - part) / spread;
    // At most as many as the samples in the share are worth.
    return Math.min(n, Math.min(ofPart, all * part / partSquares));
  }

  /**
   * Wilson's score interval of a share (E. B. Wilson, 1927).
   *
   * @param share from 0 to 1
   * @param samples the number of samples; for 0 nothing is known
   */
  public static Interval of(double share, double samples) {
    if (samples <= 0) {
      return new Interval(0, 1);
    }
    double z2 = Z * Z / samples;
    double middle = (share + z2 / 2) / (1 + z2);
    double variance = share * (1 - share) / samples + z2 / (4 * samples);
    double half = Z / (1 + z2) * Math.sqrt(variance);
    return new Interval(Math.max(0, middle - half), Math.min(1, middle + half));
  }

  /**
   * Interval of the difference of two shares: R. G. Newcombe, "Interval estimation for the
   * difference between independent proportions", 1998, method 10.
   */
  public static Interval ofDifference(double after, double nAfter, double before, double nBefore) {
    Interval a = of(after, nAfter);
    Interval b = of(before, nBefore);
    double difference = after - before;
    return new Interval(
        difference - Math.hypot(after - a.low(), b.high() - before),
        difference + Math.hypot(a.high() - after, before - b.low()));
  }

  /**
   * Whether two shares surely differ: 0 is not in their difference's interval, and the larger share
   * has at least five samples, as has the rest beside the smaller one.
   */
  public static boolean differ(double after, double nAfter, double before, double nBefore) {
    boolean hasGrown = after > before;
    double hits = hasGrown ? after * nAfter : before * nBefore;
    double misses = hasGrown ? (1 - before) * nBefore : (1 - after) * nAfter;
    return hits >= FEW && misses >= FEW && !ofDifference(after, nAfter, before, nBefore).hasZero();
  }

  /**
   * Interval of the ratio of two shares, by logarithms (Katz, 1978); with few samples the ratio of
   * the ends of both shares' intervals, which is wider.
   */
  public static Interval ofRatio(double after, double nAfter, double before, double nBefore) {
    if (after * nAfter < FEW || before * nBefore < FEW) {
      Interval a = of(after, nAfter);
      Interval b = of(before, nBefore);
      return new Interval(
          b.high() == 0 ? 0 : a.low() / b.high(),
          b.low() == 0 ? Double.POSITIVE_INFINITY : a.high() / b.low());
    }
    double ratio = after / before;
    double spread =
        Z * Math.sqrt((1 - after) / (after * nAfter) + (1 - before) / (before * nBefore));
    return new Interval(ratio * Math.exp(-spread), ratio * Math.exp(spread));
  }
}
