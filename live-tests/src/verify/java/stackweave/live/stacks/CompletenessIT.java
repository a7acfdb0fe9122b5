package stackweave.live.stacks;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import stackweave.live.support.Completeness;
import stackweave.live.support.Runs;
import stackweave.live.support.Stacks;
import stackweave.testing.ByChance;
import stackweave.testing.Jdk;

/** How many stacks reach the thread's first frame, counted from what a user gets. */
@Order(2)
@ByChance
class CompletenessIT {
  /**
   * 0.86 to 0.96 on a busy machine: rings run over before the first stacks are warm, in single runs
   * by a third.
   */
  private static final double COVERED = 0.6;

  private static final List<String> PROGRAMS =
      List.of("stackweave.samples.lab.JniLab", "stackweave.samples.zoo.JniZoo");

  @Test
  void stacksReachTheThreadsFirstFrame() {
    Runs.judge(
        () -> {
          Completeness completeness = new Completeness();
          for (Jdk jdk : Jdk.onEnds().toList()) {
            for (String program : PROGRAMS) {
              Stacks stacks = Runs.of(jdk, program).stacks();
              completeness.add(program + " on " + jdk, stacks);
              assertTrue(isCounted(stacks), () -> "in the file, not " + stacks.status());
            }
          }
          completeness.check("complete", COVERED);
        });
  }

  /** What is written behind the last status is not counted: on a busy machine, a good part. */
  private static boolean isCounted(Stacks stacks) {
    long written = stacks.status().written();
    int samples = stacks.samples().size();
    return written <= samples && (written >= 0.5 * samples || stacks.endsEarly());
  }
}
