package stackweave.live.shares;

import org.apache.commons.statistics.distribution.ChiSquaredDistribution;

/**
 * Pearson's test of whether samples are in proportion to CPU time. Each of a row's samples counts
 * as independent of the others. Those of a thread that works for longer than an interval are not:
 * their number varies less than chance would have it, so the sum may be smaller than that of
 * chance, but only a bias makes it larger.
 */
final class ChiSquare {
  private final double share;
  private final double each;
  private double sum;
  private int rows;

  /**
   * @param share of the CPU time that is in samples, over all rows
   * @param each CPU time that a sample stands for, in ns
   */
  ChiSquare(double share, double each) {
    this.share = share;
    this.each = each;
  }

  /** How many standard deviations of chance the samples' CPU time is from what it should be. */
  private double deviations(double used, double sampled) {
    double expected = share * used;
    return (sampled - expected) / Math.sqrt(expected * each);
  }

  /** Counts a row. */
  void add(double used, double sampled) {
    double deviations = deviations(used, sampled);
    sum += deviations * deviations;
    rows++;
  }

  double sum() {
    return sum;
  }

  /** The rows but one: their sum is given. */
  int degrees() {
    return rows - 1;
  }

  /** How often chance alone makes the sum so large. */
  double probability() {
    return ChiSquaredDistribution.of(degrees()).survivalProbability(sum);
  }
}
