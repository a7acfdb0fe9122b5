package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.ByChance;
import stackweave.verify.wall.WaitingService.Work;
import stackweave.verify.wall.Wall;

/**
 * Where the time of a service's workers went, by their own account and by samples. The limits are
 * those of a machine that lets few looks through; {@code verification/wall} says how near it is.
 */
@ByChance
class WallSharesIT {
  private static final long SECONDS = 3;
  private static final int WORKERS = 8;
  private static final int IDLE = 50;

  /** In points of a hundred. */
  private static final double MAX_APART = 25;

  /** Of fewer the shares are chance. */
  private static final int MIN_STACKS = 200;

  @TempDir private Path directory;

  @Test
  void samplesSayWhatTheServiceSays() throws Exception {
    Wall.Run run = Wall.run(Jdks.oldest(), directory, SECONDS, WORKERS, IDLE);
    double most = (double) WORKERS * run.nanos();
    long stacks = run.recording().counts().get("wallCaptured");
    System.out.printf(
        "samples: %d stacks, %.1f %% of the time of the workers%n",
        stacks, 100 * run.sampledNanos() / (WORKERS * SECONDS * 1e9));
    for (Work work : Work.values()) {
      System.out.printf(
          "%s: own account %.1f %%, samples %.1f %%%n",
          work, 100 * run.own(work), 100 * run.sampled(work));
    }
    assertTrue(run.sampledNanos() > 0, "no samples of workers");
    assertTrue(
        run.sampledNanos() <= 1.02 * most, "more time than there was: " + run.sampledNanos());
    assumeTrue(stacks >= MIN_STACKS, "too few looks to compare shares: " + stacks);
    for (Work work : Work.values()) {
      double apart = 100 * Math.abs(run.sampled(work) - run.own(work));
      assertTrue(apart <= MAX_APART, work + " is " + apart + " points apart");
    }
  }
}
