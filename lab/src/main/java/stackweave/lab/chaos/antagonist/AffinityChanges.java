package stackweave.lab.chaos.antagonist;

import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import jdk.jfr.Recording;
import stackweave.lab.chaos.work.Native;
import stackweave.lab.chaos.work.OwnRecordings;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Tasks;
import stackweave.lab.chaos.work.Time;

/**
 * Moves all threads of the process from CPU to CPU, as happens when CPUs go offline and come back,
 * or an orchestrator changes the CPUs of a container.
 */
final class AffinityChanges implements Antagonist {
  private static final int MAX_REST_MILLIS = 50;

  /** The least time to run for: its recording begins late where many antagonists run at once. */
  private static final long MIN_NANOS = 2_500_000_000L;

  @Override
  public String targets() {
    return "rings of a CPU, and their order among each other, when all threads leave it";
  }

  @Override
  public List<String> counts() {
    return List.of("threads moved", "CPUs deserted");
  }

  /** The first recording begins while all threads are confined to one CPU. */
  @Override
  public boolean records() {
    return true;
  }

  @Override
  public void run(Time time, Tally tally) throws IOException, InterruptedException {
    int self =
        Integer.parseInt(
            java.nio.file.Path.of("/proc/thread-self").toRealPath().getFileName().toString());
    long all = Native.allowed(self);
    SplittableRandom random = new SplittableRandom(7);
    moveAll(Long.lowestOneBit(all), tally);
    Recording recording = OwnRecordings.startAndWait(time, time.interval());
    try {
      long sampledSince = System.nanoTime();
      while (!time.isOver() || System.nanoTime() - sampledSince < MIN_NANOS) {
        long some = random.nextLong() & all;
        moveAll(some == 0 ? all : some, tally);
        tally.one(1);
        Thread.sleep(random.nextInt(MAX_REST_MILLIS));
        if (random.nextInt(4) == 0) {
          scatter(all, random, tally);
        }
      }
    } finally {
      moveAll(all, tally);
      OwnRecordings.keep(recording, time, 0);
    }
  }

  private static void moveAll(long cpus, Tally tally) throws IOException {
    for (int tid : Tasks.list()) {
      tally.add(0, Native.allow(tid, cpus) ? 1 : 0);
    }
  }

  /** Binds each thread to a random CPU. */
  private static void scatter(long all, SplittableRandom random, Tally tally) throws IOException {
    for (int tid : Tasks.list()) {
      long some = random.nextLong() & all;
      tally.add(0, Native.allow(tid, some == 0 ? all : some) ? 1 : 0);
    }
  }
}
