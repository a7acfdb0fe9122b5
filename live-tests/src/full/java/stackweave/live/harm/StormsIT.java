package stackweave.live.harm;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import stackweave.live.support.Jdks;
import stackweave.live.support.Jvms;
import stackweave.live.support.Stacks;
import stackweave.live.support.Stacks.Sample;
import stackweave.testing.ByChance;
import stackweave.testing.Ended;
import stackweave.testing.EventsByTime;
import stackweave.testing.Promise;

/**
 * Storms of threads, libraries and classes: the application's results are right, the agent stays
 * within its bounds, and samples as before when they are over.
 */
@Order(3)
@ByChance
class StormsIT {
  /** The agent's budget, and what the JDK and the application keep. */
  private static final long MAX_HEAP_KIB = (64 + 8) * 1024;

  /**
   * 5,000 threads × CPUs it must not be; perf that comes back while a crowd is going holds one per
   * CPU for each thread that was still there.
   */
  private static final int MAX_FDS = 1_000;

  /**
   * The tenth that it may use in the long run, and what handing over between engines costs. In a
   * short run on a slow machine its starts, three of them, are most of it.
   */
  private static final double MAX_SHARE = 0.15;

  private static final double LONG_SECONDS = 10;

  /** The usual interval, in ns. */
  private static final long INTERVAL = 10_000_000;

  /** Of the CPU time of the calm; perf or timers may just begin then. */
  private static final double COVERED = 0.8;

  /** It had no more than that, but for an interval of each thread. */
  private static final double MAX_COVERED = 1.2;

  private static final Pattern LINE =
      Pattern.compile(
          "STORM (\\S+): (.*); ([0-9.]+) s; drain thread (-?[0-9.]+) s = .* %; heap (\\d+) KiB;"
              + " resident \\d+ KiB; fds (\\d+)");

  @Test
  void theAgentStaysWithinItsBounds() {
    check(0.5);
  }

  /** In storms of so many seconds. */
  static void check(double seconds) {
    boolean isLong = seconds >= LONG_SECONDS;
    Ended ended =
        Jvms.withoutLibraries(Jdks.oldest())
            // What the storms cost would thin out the samples of the calm for ten seconds.
            .agent(isLong ? "drain=10" : "drain=100")
            .recording()
            .options("-Xmx512m", "-XX:MaxMetaspaceSize=128m")
            .run(Storms.class.getName(), Double.toString(seconds))
            .successfully();
    ended.outLines().forEach(System.out::println);
    Stacks stacks = Stacks.of(ended.recording());
    System.out.println(stacks.status());
    System.out.println("drain thread's share: " + share(stacks));
    printStatuses(ended);

    List<Matcher> storms =
        ended.outLines().stream().map(LINE::matcher).filter(Matcher::matches).toList();
    assertEquals(
        Storms.NAMES, storms.stream().map(storm -> storm.group(1)).collect(Collectors.toList()));
    for (Matcher storm : storms) {
      assertAll(
          () -> assertTrue(Long.parseLong(storm.group(5)) < MAX_HEAP_KIB, "heap: " + storm.group()),
          () -> assertTrue(Integer.parseInt(storm.group(6)) < MAX_FDS, "fds: " + storm.group()));
    }
    List<Sample> calm = stacks.of(sample -> sample.thread().equals("calm")).toList();
    long complete = calm.stream().filter(stacks::isComplete).count();
    // In intervals: two threads with so much CPU time each.
    long owed = Math.round(2 * seconds * 1e9 / INTERVAL);
    long covered = calm.stream().mapToLong(Sample::weight).sum() / INTERVAL;
    assertAll(
        () -> assertEquals(List.of(), ended.errLines()),
        () -> Promise.atLeast("CPU time of the calm", COVERED, Math.min(owed, covered), owed),
        () -> assertTrue(covered <= MAX_COVERED * owed, covered + " intervals of " + owed),
        () -> Promise.atLeast("complete in the calm", 0.995, complete, calm.size()),
        () -> assertEquals(0, stacks.unresolved()),
        () ->
            assertTrue(
                !isLong || share(stacks) < MAX_SHARE, "drain thread's share: " + share(stacks)));
  }

  /** Which engine ran when, and what it covered: where samples are missing, these say why. */
  private static void printStatuses(Ended ended) {
    for (RecordedEvent event : EventsByTime.statuses(ended.recording())) {
      System.out.printf(
          "%s %s: %,d taken, %,d of %,d ms covered, %,d ms missed %s%n",
          event.getStartTime(),
          event.getString("engine"),
          event.getLong("taken"),
          event.getLong("cpuCovered") / 1_000_000,
          event.getLong("cpuUsed") / 1_000_000,
          event.getLong("cpuMissed") / 1_000_000,
          event.getString("note"));
    }
  }

  /** Of a core, but for the second that sampling may cost to begin with. */
  private static double share(Stacks stacks) {
    Instant first = stacks.samples().get(0).time();
    Instant last = stacks.samples().get(stacks.samples().size() - 1).time();
    double drain = stacks.status().drainCpu() / 1e9 - 3; // it begins three times
    return drain / (Duration.between(first, last).toNanos() / 1e9);
  }
}
