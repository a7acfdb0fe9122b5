package stackweave.lab.overhead;

import java.util.Arrays;
import java.util.Random;

/** Medians and their confidence intervals. */
final class Statistics {
  private static final int RESAMPLES = 10_000;
  private static final double OUTSIDE = 0.05;

  private Statistics() {}

  /**
   * A median with its 95 % confidence interval: that of the medians of samples drawn from the
   * values with replacement (percentile bootstrap; the same values give the same interval).
   */
  record Estimate(double median, double low, double high) {}

  /** The middle one, or the mean of the middle two. */
  static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return medianOfSorted(sorted);
  }

  private static double medianOfSorted(double[] sorted) {
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  /** The median of such values. */
  static Estimate estimate(double[] values) {
    if (values.length == 0) {
      return new Estimate(Double.NaN, Double.NaN, Double.NaN);
    }
    Random random = new Random(values.length);
    double[] medians = new double[RESAMPLES];
    double[] drawn = new double[values.length];
    for (int i = 0; i < RESAMPLES; i++) {
      for (int j = 0; j < drawn.length; j++) {
        drawn[j] = values[random.nextInt(values.length)];
      }
      medians[i] = median(drawn);
    }
    Arrays.sort(medians);
    int cut = (int) (RESAMPLES * OUTSIDE / 2);
    return new Estimate(median(values), medians[cut], medians[RESAMPLES - 1 - cut]);
  }
}
