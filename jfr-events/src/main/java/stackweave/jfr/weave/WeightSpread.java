package stackweave.jfr.weave;

import java.util.Map;
import java.util.TreeMap;

/**
 * Measures how much the weights of samples differ: sums by classes of weights 2 % apart, which need
 * little memory for any number of samples. Not thread-safe.
 */
final class WeightSpread {
  private static final double STEP = Math.log(1.02);

  /** Weights closer than this are reported as equal. */
  private static final double TENTH = 1.1;

  private static final class Sums {
    long count;
    double sum;
  }

  private final Map<Integer, Sums> classes = new TreeMap<>();
  private long samples;
  private double sum;

  /** Adds a sample of a weight in nanoseconds; none counts as one. */
  void add(long weight) {
    add(Math.max(1, weight), 1, Math.max(1, weight));
  }

  private void add(double weight, long count, double weightSum) {
    Sums sums = classes.computeIfAbsent((int) (Math.log(weight) / STEP), number -> new Sums());
    sums.count += count;
    sums.sum += weightSum;
    samples += count;
    sum += weightSum;
  }

  void addAll(WeightSpread other) {
    for (Sums each : other.classes.values()) {
      add(each.sum / each.count, each.count, each.sum);
    }
  }

  /** The mean weight, in ns; 1 at least. */
  double mean() {
    return samples == 0 ? 1 : sum / samples;
  }

  /** Whether some weights differ by more than a tenth. */
  boolean isWide() {
    double least = Double.MAX_VALUE;
    double most = 0;
    for (Sums each : classes.values()) {
      least = Math.min(least, each.sum / each.count);
      most = Math.max(most, each.sum / each.count);
    }
    return most > TENTH * least;
  }

  /**
   * The largest share of time that counts of samples can attribute wrongly: half the sum of the
   * differences between the samples' shares of the count and of the time, 0 to 1.
   */
  double countError() {
    double error = 0;
    for (Sums each : classes.values()) {
      error += Math.abs(each.sum / sum - each.count / (double) samples);
    }
    return error / 2;
  }
}
