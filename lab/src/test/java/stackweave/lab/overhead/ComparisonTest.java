package stackweave.lab.overhead;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import stackweave.lab.overhead.Statistics.Estimate;

/** Windows whose costs are known, on a machine that gets slower and is noisy. */
class ComparisonTest {
  private static final int BLOCKS = 30;
  private static final double NOISE = 0.01;

  private final Random random = new Random(3);

  /** Of the JFR windows nothing is lost, of the others the share. */
  private Comparison windows(double share) {
    List<Window> windows = new ArrayList<>();
    windows.add(window(windows.size(), WindowKind.DORMANT, 0));
    for (int block = 0; block < BLOCKS; block++) {
      windows.add(window(windows.size(), WindowKind.JFR, 0));
      windows.add(window(windows.size(), WindowKind.STACKWEAVE, share));
      windows.add(window(windows.size(), WindowKind.DORMANT, 0));
    }
    return new Comparison(windows, Map.of());
  }

  private Window window(int number, WindowKind kind, double lost) {
    double drift = 1 + number * 0.002;
    double cost = 200_000 * drift * (1 + NOISE * random.nextGaussian()) / (1 - lost);
    long operations = 10_000;
    long nanos = (long) (cost * operations);
    return new Window(number, kind, 0, 1_000_000_000, operations, nanos, nanos, nanos, 0, "");
  }

  @Test
  void whatIsLostIsFound() {
    Comparison windows = windows(0.02);
    Estimate lost = windows.lost(WindowKind.STACKWEAVE, Window::workerCost);
    assertTrue(lost.low() < 0.02 && 0.02 < lost.high(), lost.toString());
    assertFalse(lost.includesZero(), lost.toString());
    assertEquals(BLOCKS, lost.count());
    assertFalse(
        windows
            .lostMore(WindowKind.STACKWEAVE, WindowKind.JFR, Window::processCost)
            .includesZero());
  }

  @Test
  void nothingLostIsNothingMeasured() {
    Comparison windows = windows(0);
    for (WindowKind kind : List.of(WindowKind.JFR, WindowKind.STACKWEAVE, WindowKind.DORMANT)) {
      Estimate lost = windows.lost(kind, Window::workerCost);
      assertTrue(lost.includesZero(), kind + ": " + lost);
    }
  }

  @Test
  void otherThreadsCountForTheProcess() {
    Window window = new Window(0, WindowKind.JFR, 0, 1, 10, 1_000, 2_000, 3_000, 0, "a.jfr");
    assertEquals(100, window.workerCost());
    assertEquals(150, window.processCost());
    assertEquals(window, Window.of(window.line()));
  }

  @Test
  void medians() {
    assertEquals(2, Statistics.median(new double[] {3, 1, 2}));
    assertEquals(2.5, Statistics.median(new double[] {4, 1, 3, 2}));
    Estimate same = Statistics.estimate(new double[] {7, 7, 7});
    assertEquals(new Estimate(7, 7, 7, 3), same);
  }
}
