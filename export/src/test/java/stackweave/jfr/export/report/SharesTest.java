package stackweave.jfr.export.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Against the figures of R. G. Newcombe's two articles in Statistics in Medicine 17, 1998. */
class SharesTest {
  private static final double DIGITS = 0.00006;

  @ParameterizedTest
  @CsvSource({
    "81, 263, 0.2553, 0.3662",
    "15, 148, 0.0624, 0.1605",
    "0,   20, 0,      0.1611",
    "1,   29, 0.0061, 0.1718",
  })
  void wilson(int of, int n, double low, double high) {
    Shares.Interval interval = Shares.of((double) of / n, n);
    assertEquals(low, interval.low(), DIGITS);
    assertEquals(high, interval.high(), DIGITS);
  }

  @ParameterizedTest
  @CsvSource({
    "56, 70, 48, 80,  0.0524, 0.3339",
    "9,  10,  3, 10,  0.1705, 0.8090",
    "6,   7,  2,  7,  0.0582, 0.8062",
    "5,  56,  0, 29, -0.0381, 0.1926",
    "0,  10,  0, 20, -0.1611, 0.2775",
    "0,  10,  0, 10, -0.2775, 0.2775",
    "10, 10,  0, 20,  0.6791, 1.0000",
    "10, 10,  0, 10,  0.6075, 1.0000",
  })
  void newcombe(int a, int nA, int b, int nB, double low, double high) {
    Shares.Interval interval = Shares.ofDifference((double) a / nA, nA, (double) b / nB, nB);
    assertEquals(low, interval.low(), DIGITS);
    assertEquals(high, interval.high(), DIGITS);
  }

  /** By hand: 1.5 times or by e to the ± 1.96 · sqrt(0.7 / 30 + 0.8 / 20) = 0.49325. */
  @Test
  void katz() {
    Shares.Interval interval = Shares.ofRatio(0.3, 100, 0.2, 100);
    assertEquals(0.9160, interval.low(), 0.0002);
    assertEquals(2.4564, interval.high(), 0.0002);
  }

  @Test
  void withoutSamplesNothingIsKnown() {
    assertEquals(new Shares.Interval(0, 1), Shares.of(0, 0));
    assertTrue(Shares.ofDifference(0, 0, 0, 0).hasZero());
    assertEquals(Double.POSITIVE_INFINITY, Shares.ofRatio(0.5, 10, 0, 0).high());
  }

  /** Counts of equal shares: 5 % of the intervals may lack 0; for some shares it is a bit more. */
  @Test
  void onlyOneInTwentyIsAlarmedForNothing() {
    Random random = new Random(11);
    for (double share : new double[] {0.02, 0.1, 0.5}) {
      int alarms = 0;
      for (int run = 0; run < 1_500; run++) {
        double a = draws(random, share, 700) / 700.0;
        double b = draws(random, share, 1_100) / 1_100.0;
        alarms += Shares.ofDifference(a, 700, b, 1_100).hasZero() ? 0 : 1;
      }
      assertTrue(alarms > 40 && alarms < 115, share + ": " + alarms);
    }
  }

  /** Kish: with equal weights the number itself; of shares of 1 s in 11 s about 11. */
  @Test
  void samplesOfDifferentWeightsAreWorthFewer() {
    assertEquals(500, Shares.effective(3, 0.09, 15, 0.45), 1e-9);
    assertEquals(500, Shares.effective(0, 0, 15, 0.45), 1e-9);
    // 1,000 of 10 ms, and one of 1 s: against 1,000 without it.
    double n = Shares.effective(1, 1, 11, 1.1);
    assertEquals(11, n, 0.001);
    Limit limit = Limit.parse("libfoo.so +5pp");
    assertFalse(limit.isExceeded(1 / 11.0, n, 0, 1_000));
    // One that weighs as much as all others: no proof, though Wilson's low end is above 5 %.
    double half = Shares.effective(10, 100, 20, 100.1);
    assertTrue(Shares.ofDifference(0.5, half, 0, 1_000).low() > 0.05);
    assertFalse(limit.isExceeded(0.5, half, 0, 1_000));
    assertFalse(Shares.differ(0.5, half, 0, 1_000));
    assertFalse(Shares.differ(0.5, half, 1, 1_000), "what is not it");
    assertTrue(Shares.differ(0.5, 1_000, 0, 1_000));
    assertTrue(Shares.differ(0, 1_000, 0.5, 1_000));
    assertTrue(limit.isExceeded(0.5, Shares.effective(10, 0.1, 20, 0.2), 0, 1_000));
  }

  /** The intervals of shares of time, of samples of which a tenth weighs twenty times as much. */
  @Test
  void sharesOfTimeAreInTheirIntervals() {
    Random random = new Random(5);
    int misses = 0;
    for (int run = 0; run < 2_000; run++) {
      double part = 0;
      double partSquares = 0;
      double all = 0;
      double squares = 0;
      for (int i = 0; i < 600; i++) {
        double weight = random.nextInt(10) == 0 ? 20 : 1;
        all += weight;
        squares += weight * weight;
        if (random.nextDouble() < 0.3) {
          part += weight;
          partSquares += weight * weight;
        }
      }
      double n = Shares.effective(part, partSquares, all, squares);
      Shares.Interval interval = Shares.of(part / all, n);
      misses += interval.low() <= 0.3 && 0.3 <= interval.high() ? 0 : 1;
    }
    assertTrue(misses > 50 && misses < 130, "of 2,000: " + misses);
  }

  private static int draws(Random random, double share, int n) {
    int hits = 0;
    for (int i = 0; i < n; i++) {
      hits += random.nextDouble() < share ? 1 : 0;
    }
    return hits;
  }

  @Test
  void limitsAreExceededOnlyBeyondTheInterval() {
    Limit points = Limit.parse("libfoo.so +5pp");
    // Of 2,000 samples each, 0.10 and 0.16: the change's interval is from 3.9 to 8.1 points.
    assertFalse(points.isExceeded(0.16, 2_000, 0.10, 2_000));
    assertTrue(Limit.parse("libfoo.so +3.5 pp").isExceeded(0.16, 2_000, 0.10, 2_000));
    assertTrue(points.isExceeded(0.16, 20_000, 0.10, 20_000));
    Limit relative = Limit.parse("libfoo.so +5%");
    assertTrue(relative.isExceeded(0.16, 2_000, 0.10, 2_000));
    assertFalse(relative.isExceeded(0.11, 2_000, 0.10, 2_000));
    assertEquals("libfoo.so +5pp", points.toString());
    assertEquals(
        "a b(int, char) [x.so] +0.5%", Limit.parse("a b(int, char) [x.so] +0.5%").toString());
  }
}
