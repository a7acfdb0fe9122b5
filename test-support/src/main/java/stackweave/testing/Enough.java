package stackweave.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Runs a program until there are enough samples to judge: where a machine is slow, or its timers
 * deliver few ticks, one run has too few. What is judged is all samples of all runs. Where {@value
 * #PATIENCE_SECONDS} seconds are too short for these, and they waited for CPUs most of the time
 * ({@link CpuShare#isStarved}), the test is skipped, with the figures; {@link Totals} allows few of
 * these. Else too few samples are a fault, which the test has to assert.
 */
public final class Enough {
  private static final int MAX_RUNS = 12;
  private static final int PATIENCE_SECONDS = 120;

  private Enough() {}

  /**
   * The samples of one run, and of further ones until there are so many; fewer after {@value
   * #MAX_RUNS} runs.
   *
   * @throws org.opentest4j.TestAbortedException if the machine is starved
   */
  public static <T> List<T> of(int enough, Supplier<List<T>> run) {
    List<T> all = new ArrayList<>();
    until(() -> all.size() >= enough, () -> all.addAll(run.get()));
    return all;
  }

  /**
   * Runs it once, and again until that is enough, {@value #MAX_RUNS} times at most.
   *
   * @throws org.opentest4j.TestAbortedException if the machine is starved
   */
  public static void until(BooleanSupplier enough, Runnable run) {
    CpuShare since = CpuShare.now();
    for (int runs = 1; ; runs++) {
      run.run();
      if (enough.getAsBoolean() || runs == MAX_RUNS) {
        return;
      }
      if (since.seconds() > PATIENCE_SECONDS && since.isStarved()) {
        throw Starved.because(
            String.format(Locale.ROOT, "too few samples after %d runs in %s", runs, since));
      }
      System.out.println("too few samples: once more");
    }
  }
}
