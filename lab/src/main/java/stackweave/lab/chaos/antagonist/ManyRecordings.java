package stackweave.lab.chaos.antagonist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import jdk.jfr.Recording;
import stackweave.lab.Kibibytes;
import stackweave.lab.chaos.work.OwnRecordings;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Tasks;
import stackweave.lab.chaos.work.Time;

/**
 * Recordings started and stopped, as many as the settings ask for, some of them while another runs.
 * Between the first ones and the last the process must not grow.
 */
final class ManyRecordings implements Antagonist {
  private static final int KEEP_EVERY = 20;
  private static final int MAX_MILLIS = 100;

  /**
   * Recordings before the first measurement, while the JVM warms up; a tenth of the cycles where
   * these are fewer.
   */
  private static final int FIRST_LOOK = 100;

  private static final int FDS = 1;
  private static final int THREADS = 2;
  private static final int MAPS = 3;
  private static final int RSS = 4;
  private static final int LATE_RSS = 5;

  /** By how much threads and descriptors may grow: the JVM's own come and go. */
  private static final int SLACK = 8;

  private static final int SLACK_MAPS = 100;

  /**
   * By how much memory may grow in the second half; in the first half compilers and class loading
   * allocate.
   */
  private static final int SLACK_MIB = 24;

  /** The fewest recordings after which memory is compared: before, the compilers are not done. */
  private static final int MIN_FOR_RSS = 500;

  @Override
  public String targets() {
    return "start and end of sampling: descriptors, threads, mappings, memory that are left";
  }

  @Override
  public List<String> counts() {
    return List.of(
        "recordings",
        "descriptors more since the first look",
        "threads more",
        "mappings more",
        "MiB of RSS more",
        "of which in the second half");
  }

  @Override
  public boolean records() {
    return true;
  }

  @Override
  public List<String> jvmOptions(Path directory) {
    return List.of("-Xms512m", "-XX:+AlwaysPreTouch"); // so that RSS is no matter of the heap
  }

  /** Ends with its cycles, not with the time. */
  @Override
  public void run(Time time, Tally tally) throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(9);
    int firstLook = Math.min(FIRST_LOOK, Math.max(1, time.cycles() / 10));
    long[] first = null;
    long[] half = null;
    for (int cycle = 1; cycle <= time.cycles(); cycle++) {
      cycle(cycle, time, random);
      tally.one(0);
      first = cycle == firstLook ? look() : first;
      half = cycle == (time.cycles() + 1) / 2 ? look() : half;
    }
    long[] last = look();
    for (int i = FDS; i <= RSS; i++) {
      tally.set(i, last[i] - first[i]);
    }
    tally.set(LATE_RSS, last[RSS] - half[RSS]);
    mustNotGrow(tally, FDS, SLACK);
    mustNotGrow(tally, THREADS, SLACK);
    mustNotGrow(tally, MAPS, SLACK_MAPS);
    if (time.cycles() >= MIN_FOR_RSS) {
      mustNotGrow(tally, LATE_RSS, SLACK_MIB);
    }
  }

  private static void cycle(int cycle, Time time, SplittableRandom random)
      throws IOException, InterruptedException {
    if (cycle % KEEP_EVERY == 0) {
      Recording recording = OwnRecordings.startAndWait(time, time.interval());
      Thread.sleep(2 * MAX_MILLIS);
      OwnRecordings.keep(recording, time, cycle);
      return;
    }
    Recording recording = OwnRecordings.start(time, time.interval());
    Thread.sleep(random.nextInt(MAX_MILLIS));
    if (random.nextInt(4) == 0) {
      Recording other = OwnRecordings.start(time, random.nextInt(1, 20) + "ms");
      Thread.sleep(random.nextInt(MAX_MILLIS));
      if (random.nextBoolean()) {
        OwnRecordings.discard(recording);
        recording = other;
      } else {
        OwnRecordings.discard(other);
      }
    }
    OwnRecordings.discard(recording);
  }

  private void mustNotGrow(Tally tally, int what, int slack) {
    if (tally.get(what) > slack) {
      throw new IllegalStateException("%d %s".formatted(tally.get(what), counts().get(what)));
    }
  }

  /**
   * Measures while no recording runs, and after a collection has closed the files of the JDK's
   * reader and writer.
   */
  private static long[] look() throws IOException, InterruptedException {
    System.gc();
    Thread.sleep(500);
    long[] now = new long[RSS + 1];
    now[FDS] = count(Path.of("/proc/self/fd"));
    now[THREADS] = Tasks.list().size();
    now[MAPS] = Files.readAllLines(Path.of("/proc/self/maps")).size();
    now[RSS] = Kibibytes.in(Path.of("/proc/self/status"), "VmRSS:") / 1024;
    return now;
  }

  private static int count(Path directory) throws IOException {
    try (var entries = Files.list(directory)) {
      return (int) entries.count();
    }
  }
}
