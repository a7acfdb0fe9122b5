package stackweave.lab.zoo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stackweave.lab.Built;
import stackweave.lab.zoo.Stack.Kind;
import stackweave.lab.zoo.TruthJudge.Located;
import stackweave.lab.zoo.ZooRun.Started;

/**
 * A category's JVM, sampled by a timer, while the program {@code stepper} follows its threads from
 * the samples to their returns; the recorded stacks of those very samples are then judged.
 */
final class TruthRun {
  private static final Pattern BOUNDS =
      Pattern.compile("bounds \\[0x([0-9a-f]+), 0x[0-9a-f]+, 0x([0-9a-f]+)\\]");

  /** By how much the clocks of two recorders may differ. A thread's samples are 4 ms apart. */
  private static final Duration TOLERANCE = Duration.ofMillis(1);

  private static final int START_SECONDS = 90;

  private final ZooRun run;
  private final int samples;
  private final Path directory;
  private long javaBegin;
  private long javaEnd;

  /**
   * @param run with the timer engine
   * @param samples how many at most
   */
  TruthRun(ZooRun run, int samples, Path directory) {
    this.run = run;
    this.samples = samples;
    this.directory = directory;
  }

  /**
   * What came of it.
   *
   * @param own the agent's stacks; null if there are none
   * @param async async-profiler's
   */
  record Result(ZooRun run, TruthJudge own, TruthJudge async, String failure) {}

  Result execute() throws IOException, InterruptedException {
    try {
      return new Result(run, own(), async(), null);
    } catch (IllegalStateException e) {
      return new Result(run, null, null, e.getMessage());
    }
  }

  private TruthJudge own() throws IOException, InterruptedException {
    Path recording = file("truth.jfr");
    List<TrueCalls.Sample> truth =
        follow(
            List.of(
                "-javaagent:" + run.agent(),
                "-XX:StartFlightRecording:filename=%s,+stackweave.NativeSample#interval=1ms,+stackweave.NativeSample#engine=timer"
                    .formatted(recording)),
            List.of(),
            "truth");
    OwnRecording own = OwnRecording.read(recording);
    TruthJudge judge = new TruthJudge();
    List<OwnRecording.Sample> taken = own.samples(run.category());
    for (TrueCalls.Sample sample : truth) {
      OwnRecording.Sample same =
          taken.stream()
              .filter(one -> isOf(sample, one.osThreadId(), one.at()))
              .findFirst()
              .orElse(null);
      if (same != null) {
        List<Located> frames = new ArrayList<>();
        for (int i = 0; i < same.frames().size(); i++) {
          frames.add(new Located(same.stack().frames().get(i), own.offset(same.frames().get(i))));
        }
        if (isAt(sample, frames)) {
          judge.add(sample, frames);
        }
      }
    }
    return judge;
  }

  private TruthJudge async() throws IOException, InterruptedException {
    Path recording = file("truth-async.jfr");
    List<TrueCalls.Sample> truth =
        follow(List.of(), List.of(run.asyncCommand(recording)), "truth-async");
    TruthJudge judge = new TruthJudge();
    List<AsyncRecording.Sample> taken = AsyncRecording.samples(recording, run.category());
    for (TrueCalls.Sample sample : truth) {
      AsyncRecording.Sample same =
          taken.stream()
              .filter(one -> isOf(sample, one.osThreadId(), one.at()))
              .findFirst()
              .orElse(null);
      if (same != null) {
        List<Located> frames =
            same.stack().frames().stream().map(frame -> new Located(frame, -1)).toList();
        if (isAt(sample, frames)) {
          judge.add(sample, frames);
        }
      }
    }
    return judge;
  }

  /** Whether a recorded stack is of the interrupted place. */
  private static boolean isAt(TrueCalls.Sample sample, List<Located> frames) {
    Located leaf = frames.get(0);
    return leaf.frame().kind() == Kind.NATIVE
        && leaf.frame().module().equals(sample.pc().module())
        && TruthJudge.isAt(leaf, sample.pc());
  }

  /** Whether a sample was recorded while the handler ran. */
  private static boolean isOf(TrueCalls.Sample sample, long osThreadId, Instant at) {
    return osThreadId == sample.osThreadId()
        && at.isAfter(sample.begin().minus(TOLERANCE))
        && at.isBefore(sample.end().plus(TOLERANCE));
  }

  private Path file(String suffix) {
    return directory.resolve(
        "%s-%d-%s".formatted(run.category().label(), run.jdk().feature(), suffix));
  }

  /** Runs the JVM and the program beside it. */
  private List<TrueCalls.Sample> follow(List<String> options, List<String> arguments, String name)
      throws IOException, InterruptedException {
    Path calls = file(name + ".calls");
    Started jvm = run.start(options, arguments, file(name + ".out"));
    try {
      awaitMeasuring(jvm);
      findCodeCache(jvm.process().pid());
      Process stepper =
          new ProcessBuilder(
                  Built.nativeFile("stepper").toString(),
                  "" + jvm.process().pid(),
                  String.join(",", run.category().rounds().keySet()),
                  "" + Math.max(1, run.seconds() - 2),
                  "" + samples,
                  Long.toHexString(javaBegin),
                  Long.toHexString(javaEnd))
              .redirectOutput(calls.toFile())
              .redirectError(file(name + ".err").toFile())
              .start();
      if (stepper.waitFor() != 0) {
        throw new IllegalStateException("stepper failed, see " + ZooRun.shown(file(name + ".err")));
      }
      run.finish(jvm);
    } finally {
      jvm.process().destroyForcibly();
    }
    return TrueCalls.read(calls);
  }

  private static void awaitMeasuring(Started jvm) throws IOException, InterruptedException {
    for (int i = 0; i < 20 * START_SECONDS; i++) {
      if (Files.readString(jvm.out()).contains("measuring")) {
        return;
      }
      if (!jvm.process().isAlive()) {
        break;
      }
      Thread.sleep(50);
    }
    throw new IllegalStateException("does not begin, see " + ZooRun.shown(jvm.out()));
  }

  /** Where the JVM's compiled code and stubs are, as jcmd says. */
  private void findCodeCache(long pid) throws IOException, InterruptedException {
    Process jcmd =
        new ProcessBuilder(
                run.jdk().home().resolve("bin/jcmd").toString(), "" + pid, "Compiler.codecache")
            .redirectErrorStream(true)
            .start();
    Matcher bounds = BOUNDS.matcher(new String(jcmd.getInputStream().readAllBytes()));
    jcmd.waitFor();
    javaBegin = Long.MAX_VALUE;
    javaEnd = 0;
    while (bounds.find()) {
      javaBegin = Math.min(javaBegin, Long.parseUnsignedLong(bounds.group(1), 16));
      javaEnd = Math.max(javaEnd, Long.parseUnsignedLong(bounds.group(2), 16));
    }
    if (javaEnd == 0) {
      throw new IllegalStateException("jcmd does not say where the code cache is");
    }
  }
}
