package stackweave.live.waiting;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import stackweave.lab.Built;
import stackweave.live.support.Jvms;
import stackweave.live.waiting.WaitingService.Work;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;

/** A run of {@link WaitingService}: what the service says, and what the recording does. */
record WallRun(Map<Work, Long> times, WallRecording recording) {
  /** Between two looks at a thread. */
  static final long INTERVAL_MILLIS = 20;

  /** Runs the service in a JVM of its own, in this directory. */
  static WallRun of(Jdk jdk, Path directory, long seconds, int workers, int idle)
      throws IOException {
    Ended ended =
        ForkedJvm.on(jdk, Files.createTempDirectory(directory, "run"))
            .agent("wall=" + INTERVAL_MILLIS + "ms")
            .recording()
            .classPath(Built.classes() + Jvms.TESTS)
            .run(WaitingService.class.getName(), "" + seconds, "" + workers, "" + idle)
            .successfully();
    return new WallRun(WaitingService.parse(ended.outLines()), WallRecording.of(ended.recording()));
  }

  /** The share of a kind of work in the workers' time, by their own account. */
  double own(Work work) {
    return (double) times.getOrDefault(work, 0L) / ownNanos();
  }

  /** The same by the samples. */
  double sampled(Work work) {
    return (double) recording.times().getOrDefault(work, 0L) / sampledNanos();
  }

  /** The workers' time by their own account, in ns. */
  long ownNanos() {
    return sum(times);
  }

  /** The workers' time by the samples, in ns. */
  long sampledNanos() {
    return sum(recording.times());
  }

  private static long sum(Map<Work, Long> times) {
    return times.values().stream().mapToLong(Long::longValue).sum();
  }
}
