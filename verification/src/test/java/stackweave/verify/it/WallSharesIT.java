package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.verify.wall.WaitingService.Work;
import stackweave.verify.wall.Wall;

/**
 * Where the time of a service's workers went, by their own account and by samples. The limits are
 * those of a machine that lets few looks through; {@code verification/wall} says how near it is.
 */
class WallSharesIT {
  private static final long SECONDS = 6;
  private static final int WORKERS = 8;
  private static final int IDLE = 50;

  /** In points of a hundred. */
  private static final double MAX_APART = 25;

  @TempDir private Path directory;

  @Test
  void samplesSayWhatTheServiceSays() throws Exception {
    Wall.Run run = Wall.run(Jdks.oldest(), directory, SECONDS, WORKERS, IDLE);
    double all = (double) run.sampledNanos() / (WORKERS * SECONDS * 1e9);
    System.out.printf("time of the workers in samples: %.1f %%%n", 100 * all);
    for (Work work : Work.values()) {
      System.out.printf(
          "%s: own account %.1f %%, samples %.1f %%%n",
          work, 100 * run.own(work), 100 * run.sampled(work));
    }
    // Threads run on while the JVM ends, and the start of a recording is not sampled.
    assertTrue(all < 1.2, "more time than there was: " + all);
    assertTrue(all > 0.3, "less time than there was: " + all);
    for (Work work : Work.values()) {
      double apart = 100 * Math.abs(run.sampled(work) - run.own(work));
      assertTrue(apart <= MAX_APART, work + " is " + apart + " points apart");
    }
  }
}
