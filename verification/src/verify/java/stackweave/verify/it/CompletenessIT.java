package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.ByChance;
import stackweave.testing.Jdk;

/** How many stacks reach the thread's first frame, counted from what a user gets. */
@Order(2)
@ByChance
class CompletenessIT {

  @ParameterizedTest
  @MethodSource("stackweave.verify.it.Completeness#runs")
  void stacksReachTheThreadsFirstFrame(Jdk jdk, String main) {
    Runs.judge(
        Runs.of(jdk, main),
        stacks -> {
          Stacks.Status status = stacks.status();
          Completeness completeness = new Completeness(stacks);
          completeness.print(main + " on " + jdk);
          completeness.check(main + " on " + jdk);
          assertTrue(isCounted(status, stacks.samples().size()), "in the file, not " + status);
        });
  }

  /** What is written behind the last status is not counted: on a busy machine, a good part. */
  private static boolean isCounted(Stacks.Status status, int samples) {
    return status.written() <= samples && status.written() >= 0.5 * samples;
  }
}
