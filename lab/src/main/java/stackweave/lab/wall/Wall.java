package stackweave.lab.wall;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import stackweave.lab.Built;
import stackweave.lab.wall.WaitingService.Work;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.Markdown;

/**
 * Runs {@link WaitingService} with several numbers of threads and compares where its workers' time
 * went by its own account and by a recording; with what the looks have cost. {@code lab/wall} runs
 * it. Arguments: seconds of each run, then {@code workers+idle} for each.
 */
public final class Wall {
  /** Between two looks at a thread. */
  public static final long INTERVAL_MILLIS = 20;

  private Wall() {}

  public static void main(String[] arguments) throws IOException {
    long seconds = Long.parseLong(arguments[0]);
    Path directory = Files.createTempDirectory("wall");
    Markdown shares = new Markdown();
    shares.table(
        ">workers", ">idle", "work", ">share, own account", ">share, samples", ">points apart");
    Markdown costs = new Markdown();
    costs.table(
        ">workers",
        ">idle",
        ">threads watched",
        ">stacks read",
        ">samples' time of workers, %",
        ">of that waiting for a CPU, %",
        ">cost, % of a core");
    for (int i = 1; i < arguments.length; i++) {
      String[] numbers = arguments[i].split("\\+");
      int workers = Integer.parseInt(numbers[0]);
      int idle = Integer.parseInt(numbers[1]);
      Run run =
          run(Jdk.in(Path.of(System.getProperty("java.home"))), directory, seconds, workers, idle);
      for (Work work : Work.values()) {
        shares.row(
            "" + workers,
            "" + idle,
            work.name().toLowerCase(Locale.ROOT),
            percent(run.own(work)),
            percent(run.sampled(work)),
            percent(run.sampled(work) - run.own(work)));
      }
      WallRecording recording = run.recording();
      costs.row(
          "" + workers,
          "" + idle,
          "" + recording.threads(),
          "" + recording.counts().get("wallCaptured"),
          percent((double) run.sampledNanos() / run.ownNanos()),
          percent((double) recording.runnable() / run.sampledNanos()),
          String.format(Locale.ROOT, "%.2f", recording.costPercent()));
    }
    System.out.println(shares);
    System.out.println(costs);
    System.err.println("recordings are in " + directory);
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f", 100 * share);
  }

  private static long sum(Map<Work, Long> times) {
    return times.values().stream().mapToLong(Long::longValue).sum();
  }

  /** A run: what the service says, and what the recording does. */
  public record Run(Map<Work, Long> times, WallRecording recording) {
    /** The share of a kind of work in the workers' time, by their own account. */
    public double own(Work work) {
      return (double) times.getOrDefault(work, 0L) / ownNanos();
    }

    /** The same by the samples. */
    public double sampled(Work work) {
      return (double) recording.times().getOrDefault(work, 0L) / sampledNanos();
    }

    /** The workers' time by their own account, in ns. */
    public long ownNanos() {
      return sum(times);
    }

    /** The workers' time by the samples, in ns. */
    public long sampledNanos() {
      return sum(recording.times());
    }
  }

  /** Runs the service in a JVM of its own, in this directory. */
  public static Run run(Jdk jdk, Path directory, long seconds, int workers, int idle)
      throws IOException {
    Path own = Files.createTempDirectory(directory, "run");
    Ended ended =
        ForkedJvm.on(jdk, own)
            .agent("wall=" + INTERVAL_MILLIS + "ms")
            .recording()
            .classPath(Built.classes())
            .run(WaitingService.class.getName(), "" + seconds, "" + workers, "" + idle)
            .successfully();
    return new Run(WaitingService.parse(ended.outLines()), WallRecording.of(ended.recording()));
  }
}
