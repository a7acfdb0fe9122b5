package stackweave.live.waiting;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.live.support.Jdks;
import stackweave.live.waiting.WaitingService.Work;
import stackweave.testing.ByChance;
import stackweave.testing.CpuShare;
import stackweave.testing.Starved;

/**
 * Where the time of a service's workers went, by their own account and by samples. The limits are
 * those of a machine that lets few looks through.
 */
@ByChance
class WallSharesIT {
  private static final long SECONDS = 3;
  private static final int WORKERS = 8;
  private static final int IDLE = 50;

  /** In points of a hundred. */
  private static final double MAX_APART = 25;

  /** Of the time that the workers say themselves: 1.00 beside fifteen busy threads, too. */
  private static final double LEAST_TOLD = 0.8;

  /** They go on while the JVM ends. */
  private static final double MOST_TOLD = 1.5;

  /** Stacks for each look at a worker that is due: 1.0, and 0.76 beside fifteen busy threads. */
  private static final double LEAST_LOOKS = 0.5;

  private static final double MOST_LOOKS = 1.6;

  private static final int MAX_RUNS = 3;

  @TempDir private Path directory;

  @Test
  void samplesSayWhatTheServiceSays() throws Exception {
    CpuShare since = CpuShare.now();
    WallRun run = run();
    for (int i = 1; i < MAX_RUNS && run.recording().endsEarly(); i++) {
      System.out.println("the last samples are missing: once more");
      run = run();
    }
    double told = (double) run.sampledNanos() / run.ownNanos();
    long stacks = run.recording().looks();
    double looks = (double) stacks / (WORKERS * SECONDS * 1_000 / WallRun.INTERVAL_MILLIS);
    System.out.printf(
        "samples: %d stacks, %.2f of a look at each worker in each interval, %.3f of their time%n",
        stacks, looks, told);
    for (Work work : Work.values()) {
      System.out.printf(
          "%s: own account %.1f %%, samples %.1f %%%n",
          work, 100 * run.own(work), 100 * run.sampled(work));
    }
    assertTrue(told >= LEAST_TOLD && told <= MOST_TOLD, () -> "of the workers' time: " + told);
    if (looks < LEAST_LOOKS && since.isStarved()) {
      throw Starved.because(stacks + " stacks in " + since);
    }
    assertTrue(looks >= LEAST_LOOKS && looks <= MOST_LOOKS, () -> "looks: " + looks);
    for (Work work : Work.values()) {
      double apart = 100 * Math.abs(run.sampled(work) - run.own(work));
      assertTrue(apart <= MAX_APART, work + " is " + apart + " points apart");
    }
  }

  private WallRun run() throws IOException {
    return WallRun.of(Jdks.oldest(), directory, SECONDS, WORKERS, IDLE);
  }
}
