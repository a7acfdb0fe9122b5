package stackweave.agent.cli.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.Plain;
import stackweave.agent.cli.jvm.OwnCommand;
import stackweave.agent.cli.jvm.TargetOption;
import stackweave.agent.cli.process.TargetJvm;
import stackweave.agent.linux.OwnDirectory;
import stackweave.jfr.control.SamplingSettings;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.weave.MergeOptions;
import stackweave.jfr.weave.RecordingMerge;

/**
 * The command {@code record PID -d 30s -o rec.jfr}: samples a JVM for a time and saves the
 * recording.
 */
@Command(
    name = "record",
    description = {
      "Samples a running JVM for some time and leaves a recording.",
      "Attaches the agent if it isn't there, and then detaches it again. Ctrl-C ends the recording"
          + " early and keeps it."
    },
    customSynopsis =
        "java -jar stackweave-agent.jar record PID [-d TIME] [-o FILE] [--interval TIME]"
            + " [--engine NAME] [--settings NAME] [--no-weave]")
public final class RecordCommand implements Callable<Integer> {

  @Mixin private TargetOption target;

  @Option(
      names = {"-d", "--duration"},
      paramLabel = "TIME",
      converter = Duration.class,
      description = "How long, such as 30s or 5m. Default: 30s.")
  private Long durationMillis = 30_000L;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Default: rec-PID.jfr. - is standard output.")
  private Path output;

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      converter = SamplingOptions.Interval.class,
      description =
          "CPU time between two samples of a thread: "
              + SamplingSettings.INTERVALS
              + ", the default.")
  private String interval;

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      converter = SamplingOptions.Engine.class,
      completionCandidates = SamplingOptions.Engines.class,
      description = "The engine to try first: ${COMPLETION-CANDIDATES}. Default: auto.")
  private String engine;

  @Option(
      names = "--settings",
      paramLabel = "NAME",
      description =
          "JFR's configuration for its own events: default, profile, or none. Default: default.")
  private String settings = "default";

  @Option(
      names = "--no-weave",
      description =
          "Leaves the recording as the JVM wrote it. Without it, samples become jdk.ExecutionSample"
              + " events, too, as by the command merge: for JDK Mission Control and other tools.")
  private boolean noWeave;

  /**
   * Disk space that another user's recording must leave free, in bytes: its size is the target's to
   * choose.
   */
  private static final long KEPT_FREE = 64L << 20;

  /** What a woven recording may take of the disk, in sizes of the recording, at most. */
  private static final long MAX_GROWTH = 10;

  /** How long Ctrl-C waits for the recording to be written and copied. */
  private static final long MAX_END_MINUTES = 30;

  /** How the agent's report says that there is no sample. */
  private static final String NO_SAMPLE = "samples: 0 taken";

  /** How often the target's end is checked for. */
  private static final long LOOK_MILLIS = 100;

  private static final Pattern QUOTABLE = Pattern.compile("[^\"\\p{Cntrl}]+");

  /**
   * Whether the agent reported no sample; false if the program has ended, which reports nothing.
   */
  private boolean noSample;

  private final CountDownLatch interrupted = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);

  @Override
  public Integer call() throws FailedException {
    Path file = output == null ? Path.of("rec-" + target.pid() + ".jfr") : output;
    Output.mustBeWritable(file);
    mustBeName(settings);
    Runtime.getRuntime().addShutdownHook(new Thread(this::interrupt));
    try (TargetJvm jvm = TargetJvm.open(target.pid())) {
      record(jvm, file);
    } finally {
      finished.countDown();
    }
    if (!Output.isStandardOutput(file) && !Output.isDevice(file)) {
      System.out.println(file);
      System.err.println(
          noSample
              ? "stackweave: no sample was taken, so there is nothing to draw; the lines above say why"
              : "next: " + OwnCommand.line("flamegraph", OwnCommand.file(file)));
    }
    return 0;
  }

  /** Refuses text that can't be passed to the JVM in quotes. */
  private static void mustBeName(String text) throws FailedException {
    if (!QUOTABLE.matcher(text).matches()) {
      throw new FailedException("'" + text + "' can't be told to the JVM: it has a quote in it");
    }
  }

  private void record(TargetJvm jvm, Path file) throws FailedException {
    Map<String, String> eventSettings = new TreeMap<>();
    if (interval != null) {
      eventSettings.put("interval", interval);
    }
    if (engine != null) {
      eventSettings.put("engine", engine);
    }
    for (String setting : eventSettings.values()) {
      mustBeName(setting);
    }
    try (RemoteRecording recording =
        RemoteRecording.start(jvm, settings, eventSettings, durationMillis)) {
      try {
        recording.awaitSampling(() -> interrupted.getCount() == 0);
      } catch (FailedException e) {
        if (!recording.isOverSoon()) {
          recording.discard();
          throw e;
        }
        // The JVM has ended and does not answer; what it recorded until then is kept.
      }
      awaitEnd(recording);
      long nanos = recording.nanos();
      RemoteRecording.End end = recording.finish();
      save(jvm, recording, file);
      say(recording, end, nanos);
      weave(jvm, file);
    }
  }

  private void save(TargetJvm jvm, RemoteRecording recording, Path file) throws FailedException {
    try {
      long size = recording.size();
      if (!Output.isStandardOutput(file) && !Output.isDevice(file)) {
        mustFit(jvm, size, file);
      }
      Output.privately(file, true, out -> recording.copy(out, size));
    } catch (IOException e) {
      throw new FailedException(
          "can't read the recording that process "
              + target.pid()
              + " made: "
              + FailedException.reason(e));
    } catch (FailedException e) {
      // Keep the file: it is the only copy of the recording.
      throw new FailedException(
          FailedException.worded(e) + "; for an hour the recording is kept as " + recording.keep());
    }
  }

  /**
   * Weaves the samples of the saved recording, which is replaced when that is done; what fails
   * leaves it as it is.
   */
  private void weave(TargetJvm jvm, Path file) {
    if (noWeave || noSample || Output.isStandardOutput(file) || Output.isDevice(file)) {
      return;
    }
    try {
      mustFit(jvm, MAX_GROWTH * Files.size(file), file);
      RecordingMerge merge =
          RecordingMerge.of(List.of(file), MergeOptions.DEFAULT, ReadingProgress.NONE);
      Output.privately(
          file,
          true,
          out -> {
            try {
              merge.writeTo(out);
            } catch (RecordingException e) {
              throw new IOException(e.getMessage(), e);
            }
          });
    } catch (FailedException e) {
      sayUnwoven(file, FailedException.worded(e));
    } catch (IOException | RecordingException | RuntimeException | OutOfMemoryError e) {
      sayUnwoven(file, String.valueOf(e.getMessage()));
    }
  }

  private static void sayUnwoven(Path file, String why) {
    System.err.println(
        "stackweave: "
            + Plain.line(
                file
                    + " is as the JVM wrote it, without jdk.ExecutionSample events of the samples: "
                    + why));
  }

  /**
   * Refuses a recording that does not fit; another user's JVM chooses its size and must not fill
   * the disk.
   */
  private static void mustFit(TargetJvm jvm, long size, Path file)
      throws FailedException, IOException {
    boolean own = jvm.process().uid() == OwnDirectory.effectiveUid();
    long room = file.toAbsolutePath().getParent().toFile().getUsableSpace();
    if (size > room - (own ? 0 : KEPT_FREE)) {
      throw new FailedException(
          "can't write " + file + ": no space left for the recording's " + size + " bytes");
    }
  }

  private void say(RemoteRecording recording, RemoteRecording.End end, long nanos) {
    String after = Timespans.spoken(nanos) + " of " + Timespans.spoken(durationMillis * 1_000_000L);
    String what =
        switch (end) {
          case ASKED -> "";
          case PROGRAM ->
              "the program ended after " + after + "; saved what was recorded until then";
          case KILLED ->
              "the program was killed or crashed after "
                  + after
                  + "; saved what JFR had written until then, up to a second before: "
                  + recording.chunkCount()
                  + (recording.chunkCount() == 1 ? " chunk" : " chunks")
                  + " of "
                  + recording.repositoryPath();
          case OUTSIDE ->
              "the recording was ended from outside (detach, or jcmd JFR.stop) after "
                  + after
                  + "; saved what was recorded until then";
        };
    if (!what.isEmpty()) {
      System.err.println("stackweave: " + Plain.line(what));
    }
    if (end == RemoteRecording.End.PROGRAM || end == RemoteRecording.End.KILLED) {
      return;
    }
    try {
      String report = recording.report();
      if (!report.isEmpty()) {
        System.err.println(Plain.report(report));
        noSample = report.lines().anyMatch(line -> line.startsWith(NO_SAMPLE));
      }
    } catch (FailedException e) {
      // The recording is saved; only the summary is missing.
      System.err.println("stackweave: " + Plain.line(FailedException.worded(e)));
    }
  }

  /** Waits until the duration has passed, Ctrl-C was pressed, or the target has ended. */
  private void awaitEnd(RemoteRecording recording) {
    long start = System.nanoTime();
    boolean terminal = System.console() != null;
    try {
      long said = -1;
      for (long left = durationMillis; left > 0; left = durationMillis - millisSince(start)) {
        long seconds = millisSince(start) / 1_000;
        if (terminal && seconds != said) {
          said = seconds;
          System.err.printf("\rrecording: %d of %d s ", seconds, durationMillis / 1_000);
        }
        if (interrupted.await(Math.min(left, LOOK_MILLIS), TimeUnit.MILLISECONDS)
            || recording.isOver()) {
          break;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (terminal) {
      System.err.println();
    }
  }

  private static long millisSince(long nanoTime) {
    return (System.nanoTime() - nanoTime) / 1_000_000;
  }

  /** Shutdown hook: on Ctrl-C, lets the recording be completed before this JVM exits. */
  private void interrupt() {
    interrupted.countDown();
    try {
      finished.await(MAX_END_MINUTES, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Converts a time with its unit to milliseconds. */
  static final class Duration implements ITypeConverter<Long> {
    private static final long NANOS_PER_MILLI = 1_000_000L;
    private static final long MAX_NANOS = 365L * 24 * 3_600 * 1_000_000_000L;

    @Override
    public Long convert(String text) {
      OptionalLong nanos = Timespans.parse(text);
      if (nanos.isEmpty() || nanos.getAsLong() < NANOS_PER_MILLI || nanos.getAsLong() > MAX_NANOS) {
        throw new TypeConversionException(
            "'" + text + "' is no time such as 30s, 5m or 1h (at least 1ms, at most 365d)");
      }
      return nanos.getAsLong() / NANOS_PER_MILLI;
    }
  }
}
