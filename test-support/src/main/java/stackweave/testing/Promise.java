package stackweave.testing;

import java.util.Locale;
import org.apache.commons.statistics.distribution.BinomialDistribution;
import org.apache.commons.statistics.distribution.DiscreteDistribution;
import org.apache.commons.statistics.distribution.PoissonDistribution;

/**
 * What a test that counts samples promises, and whether a count breaks it. A count breaks a promise
 * only if it is as bad with a probability of at most {@value #FALSE_ALARM} where the promise is
 * just kept. Each check prints the count, its bound, and the true share that it would have noticed
 * in {@value #POWER} of all runs. Samples count as independent of each other. Stateless.
 */
public final class Promise {
  /** How often a promise that is just kept may look broken. */
  public static final double FALSE_ALARM = 1e-6;

  /** How often a share is to be noticed that is printed as noticed. */
  public static final double POWER = 0.95;

  private static final int STEPS = 60;

  private Promise() {}

  /**
   * Of {@code of} things, {@code hits} are as they should; the promise is a share of {@code share}
   * or more.
   *
   * @throws AssertionError if it is broken
   */
  public static void atLeast(String what, double share, long hits, long of) {
    atMost("not: " + what, 1 - share, of - hits, of, true);
  }

  /**
   * Of {@code of} things, {@code hits} are not as they should; the promise is a share of {@code
   * share} or less.
   *
   * @throws AssertionError if it is broken
   */
  public static void atMost(String what, double share, long hits, long of) {
    atMost(what, share, hits, of, true);
  }

  /**
   * Of {@code of} things, {@code hits} are of one kind; the promise is that each is, with a
   * probability of {@code share}, give or take {@code bias}.
   *
   * @param bias what the share itself may be off by, since what is counted is no perfect clock
   * @throws AssertionError if it is broken
   */
  public static void share(String what, double share, double bias, long hits, long of) {
    atMost(what, Math.min(1, share + bias), hits, of, false);
    atMost("not: " + what, Math.min(1, 1 - share + bias), of - hits, of, false);
  }

  /**
   * {@code count} events came where {@code expected} of them are the mean of many runs.
   *
   * @param bias what the mean itself may be off by, as a share of it
   * @throws AssertionError if it is broken
   */
  public static void count(String what, double expected, double bias, long count) {
    int least = lowest(PoissonDistribution.of(Math.max(1e-9, expected * (1 - bias))));
    int most = highest(PoissonDistribution.of(Math.max(1e-9, expected * (1 + bias))));
    String text =
        String.format(
            Locale.ROOT,
            "%s: %d, expected %.1f, bounds %d to %d",
            what,
            count,
            expected,
            least,
            most);
    System.out.println("promise: " + text);
    if (count < least || count > most) {
      throw new AssertionError(text);
    }
  }

  private static void atMost(String what, double share, long hits, long of, boolean needsAny) {
    if (of == 0) {
      if (needsAny) {
        throw new AssertionError(what + ": nothing was counted");
      }
      return;
    }
    int bound = bound(share, of);
    String text =
        String.format(
            Locale.ROOT,
            "%s: %d of %d, promised at most %.3f %%, bound %d; would notice %.2f %%",
            what,
            hits,
            of,
            100 * share,
            bound,
            100 * noticed(bound, of));
    System.out.println("promise: " + text);
    if (hits > bound) {
      throw new AssertionError(text);
    }
  }

  /** The most hits with which a promise is not broken. */
  static int bound(double share, long of) {
    int n = Math.toIntExact(of);
    return share >= 1 ? n : highest(BinomialDistribution.of(n, share));
  }

  /** The least x with P(X > x) ≤ {@link #FALSE_ALARM}. */
  private static int highest(DiscreteDistribution distribution) {
    return distribution.inverseSurvivalProbability(FALSE_ALARM);
  }

  /** The least x with P(X < x) ≤ {@link #FALSE_ALARM} for it, and not for the next. */
  private static int lowest(DiscreteDistribution distribution) {
    return distribution.inverseCumulativeProbability(FALSE_ALARM);
  }

  /** The share with which more than {@code bound} come with a probability of {@link #POWER}. */
  static double noticed(int bound, long of) {
    double low = 0;
    double high = 1;
    for (int i = 0; i < STEPS; i++) {
      double middle = (low + high) / 2;
      boolean isNoticed =
          BinomialDistribution.of(Math.toIntExact(of), middle).survivalProbability(bound) >= POWER;
      low = isNoticed ? low : middle;
      high = isNoticed ? middle : high;
    }
    return high;
  }
}
