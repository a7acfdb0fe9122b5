package stackweave.live.outside;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.drain.OutsideSampler;
import stackweave.agent.message.Messages;
import stackweave.agent.option.Options;
import stackweave.engine.choice.EngineSource;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.process.SampledProcess;
import stackweave.lab.recording.PlainRecording;
import stackweave.linux.Descriptor;
import stackweave.live.support.Jvms;
import stackweave.testing.ByChance;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.RunningCommand;
import stackweave.testing.Starved;

/**
 * A JVM that is sampled from inside and from outside at once, each time that a thread leaves its
 * CPU: the stacks of both recordings are the same.
 */
@ByChance
class PairsIT {
  /** Where it is busy, the kernel takes the CPU from a thread anywhere in its code. */
  private static final String EVENT = "event=context-switches,interval=1,drain=100";

  private static final String JNI = "stackweave.samples.lab.JniLab";
  private static final String PHASES = "stackweave.lab.phases.PhaseRun";

  private static final int ENOUGH = 300;

  /**
   * On a quiet machine 99.9 % and more are equal. The others show code that was freed right after
   * the sample, which one of the two has seen before and the other has not: on JDK 17, where
   * nothing counts that, more than on later ones.
   */
  private static final double LEAST = 0.99;

  private static final long SAMPLED_MILLIS = 6_000;
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  static Stream<Arguments> runs() {
    return Jdk.onEnds()
        .flatMap(
            jdk ->
                Stream.of(
                    Arguments.of(jdk, List.of(JNI, "14")),
                    Arguments.of(jdk, List.of(PHASES, "4", "vmheavy,stubs,exceptions"))));
  }

  @ParameterizedTest
  @MethodSource("runs")
  void stacksAreEqual(Jdk jdk, List<String> app) throws Exception {
    ForkedJvm jvm = Jvms.hot(jdk).agent(EVENT).recording(Jvms.WITHOUT_JFR_SAMPLES);
    Path file = jvm.directory().resolve("outside.jfr");
    RunningCommand running =
        jvm.start(app.get(0), app.subList(1, app.size()).toArray(String[]::new));
    awaitSampling(running.pid());
    sample((int) running.pid(), file);
    running.end().successfully();
    Pairs pairs = new Pairs(PlainRecording.of(jvm.recordingFile()), PlainRecording.of(file));
    System.out.println(jdk + " " + app + ": " + pairs);
    if (pairs.pairs < ENOUGH) {
      throw Starved.because(pairs.toString());
    }
    assertTrue(pairs.share() >= LEAST, () -> pairs + String.join("\n", pairs.examples()));
  }

  /** Waits for the thread of the agent in the JVM. */
  private static void awaitSampling(long pid) throws Exception {
    long end = System.nanoTime() + PATIENCE_NANOS;
    boolean isThere = false;
    while (!isThere && System.nanoTime() < end) {
      Thread.sleep(50);
      try (Stream<Path> tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
        isThere = tasks.anyMatch(PairsIT::isDrainThread);
      }
    }
    assertTrue(isThere, "the agent does not sample");
  }

  private static boolean isDrainThread(Path task) {
    try {
      return Files.readString(task.resolve("comm")).startsWith("stackw");
    } catch (java.io.IOException e) {
      return false; // it has ended
    }
  }

  private static void sample(int pid, Path file) throws Exception {
    Options options = Options.parse(EVENT);
    SamplingRequest request =
        new SamplingRequest(
            options.event(),
            options.intervalNanos(),
            options.engine(),
            options.depth(),
            Map.of(),
            false,
            List.of("pairs"),
            List.of());
    try (Descriptor proc = Descriptor.directory("/proc/" + pid);
        OutsideSampler sampler =
            new OutsideSampler(
                new OutsideSampler.Source(
                    SampledProcess.other(pid, proc.path()), "", EngineSource.OF_MACHINE),
                file,
                options,
                List::of,
                new Messages())) {
      sampler.start(request);
      long end = System.nanoTime() + PATIENCE_NANOS;
      while (!sampler.hasStarted() && System.nanoTime() < end) {
        Thread.sleep(50);
      }
      // Not to the application's end: what waits to be decoded then has no memory any more.
      Thread.sleep(SAMPLED_MILLIS);
    }
  }
}
