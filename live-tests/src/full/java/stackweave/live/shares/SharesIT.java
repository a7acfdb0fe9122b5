package stackweave.live.shares;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.ByChance;
import stackweave.testing.Jdk;
import stackweave.testing.Promise;

/** Samples are in proportion to the CPU time that the kernel counts, whatever a thread does. */
@ByChance
class SharesIT {
  private static final int SECONDS = 8;

  /** What interrupts take of threads' CPU time, in which no sample can fall. */
  private static final double INTERRUPTS = 0.03;

  /** Standard deviations that chance exceeds as rarely as {@link Promise#FALSE_ALARM}. */
  private static final double MOST_DEVIATIONS = 5;

  @TempDir private Path directory;

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void samplesAreInProportionToCpuTime(Jdk jdk) throws IOException {
    SharesRun run = SharesRun.of(jdk, "perf", "1ms", SECONDS, directory);
    assumeTrue(run.engine().equals("perf"), "CPUs may not be sampled here");
    ChiSquare test = run.overThreads();
    String figures =
        "%d samples have %.2f %% of the CPU time; chi-square %.1f with %d degrees of freedom"
            .formatted(run.samples(), 100 * run.coverage(), test.sum(), test.degrees());
    System.out.println(jdk + ": " + figures);
    // On a busy machine most threads have too few samples for a row of their own.
    assertTrue(test.degrees() > 20, figures);
    assertTrue(test.probability() > Promise.FALSE_ALARM, figures);
    double off = MOST_DEVIATIONS * run.coverageDeviation();
    assertTrue(run.coverage() < 1 + off, figures);
    assertTrue(run.coverage() > 1 - off - INTERRUPTS - run.lostShare(), figures);
  }
}
