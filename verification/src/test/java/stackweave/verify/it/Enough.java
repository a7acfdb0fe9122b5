package stackweave.verify.it;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Runs a program until there are enough samples to judge: on a machine that is slow, or whose
 * timers deliver few ticks, one run has too few. What is judged is all samples of all runs.
 */
final class Enough {
  private static final int MAX_RUNS = 12;

  private Enough() {}

  /**
   * The samples of one run, and of further ones until there are so many; fewer after {@value
   * #MAX_RUNS} runs.
   */
  static <T> List<T> of(int enough, Supplier<List<T>> run) {
    List<T> all = new ArrayList<>();
    until(() -> all.size() >= enough, () -> all.addAll(run.get()));
    return all;
  }

  /** Runs it once, and again until that is enough, {@value #MAX_RUNS} times at most. */
  static void until(BooleanSupplier enough, Runnable run) {
    run.run();
    for (int runs = 1; runs < MAX_RUNS && !enough.getAsBoolean(); runs++) {
      System.out.println("too few samples: once more");
      run.run();
    }
  }
}
