package stackweave.agent.cli.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.Plain;
import stackweave.agent.cli.jvm.OwnCommand;
import stackweave.agent.cli.jvm.TargetOption;
import stackweave.agent.cli.process.TargetProcess;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.weave.MergeOptions;
import stackweave.jfr.weave.RecordingMerge;
import stackweave.linux.OwnDirectory;

/**
 * The command {@code record PID -d 30s -o rec.jfr}: samples a JVM for a time and saves the
 * recording.
 */
@Command(
    name = "record",
    description = {
      "Samples a running JVM for some time and leaves a recording.",
      "Nothing is loaded into the JVM, where that is possible: see --inside. Ctrl-C ends the recording"
          + " early and keeps it."
    })
public final class RecordCommand implements Callable<Integer> {

  @Mixin private TargetOption target;

  @Option(
      names = {"-d", "--duration"},
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description =
          "How long, such as 30s or 5m. Default: 30s; with --loop, until Ctrl-C or the program's"
              + " end.")
  private Long durationMillis;

  @Option(
      names = "--loop",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description =
          "A recording of each such time, without a gap between them; at least 1s. In FILE, %%p is"
              + " the process, %%t the time when a recording began, and %%n{8} its number: the last"
              + " eight are kept.")
  private Long loopMillis;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Default: rec-PID.jfr, with --loop rec-PID-TIME.jfr. - is standard output.")
  private String output;

  @Mixin private RecordingOptions sampling;

  @Mixin private PlaceOption place;

  @Option(
      names = "--settings",
      paramLabel = "NAME",
      description =
          "JFR's configuration for its own events: default, profile, or none. Default: default.")
  private String settings = DEFAULT_SETTINGS;

  @Option(
      names = "--no-weave",
      description =
          "Leaves the recording as the JVM wrote it. Without it, samples become jdk.ExecutionSample"
              + " events, too, as by the command merge: for JDK Mission Control and other tools.")
  private boolean noWeave;

  /**
   * Bytes of the disk that another user's recording must leave free: the target controls its size.
   */
  private static final long KEPT_FREE = 64L << 20;

  /** Most disk space of a woven recording, in multiples of the recording's size. */
  private static final long MAX_GROWTH = 10;

  private static final long DEFAULT_MILLIS = 30_000;

  /** With shorter loops recordings would be started and stopped most of the time. */
  private static final long MIN_LOOP_MILLIS = 1_000;

  /** If this command was killed, a recording ends by itself so long after its time. */
  private static final long GRACE_MILLIS = 60_000;

  /** In the agent's report: there is no sample. */
  private static final String NO_SAMPLE = "samples: 0 taken";

  /** A recording may differ from the requested length by this and a tenth without a message. */
  private static final long MIN_OFF_NANOS = 2_000_000_000L;

  private static final String DEFAULT_SETTINGS = "default";

  /** In the agent's report: there are samples of waiting threads. */
  private static final String HAS_WAITING = "waiting: [1-9].*";

  private static final Pattern QUOTABLE = Pattern.compile("[^\"\\p{Cntrl}]+");

  /** Whether the agent reported no sample; false if the program ended without a report. */
  private boolean noSample;

  /** Whether there are samples of waiting threads, but none of CPU time. */
  private boolean onlyWaiting;

  private FilePattern pattern;

  /** The requested length of each recording. */
  private long wantedMillis;

  private long recordings;
  private long secondsSaid = -1;

  @Override
  public Integer call() throws FailedException {
    boolean isLoop = loopMillis != null;
    pattern = new FilePattern(output != null ? output : isLoop ? "rec-%p-%t.jfr" : "rec-%p.jfr");
    if (isLoop) {
      mustBeLoop();
    }
    Map<String, String> wishes = sampling.eventSettings();
    if (settings.equals(DEFAULT_SETTINGS)) {
      SamplingWishes.addStalls(wishes);
    }
    Output.mustBeWritable(file(System.currentTimeMillis(), false));
    if (!QUOTABLE.matcher(settings).matches()) {
      throw new FailedException(
          "'" + settings + "' can't be passed to the JVM: it has a quote in it");
    }
    long longest = isLoop ? DurationConverter.MAX_MILLIS : DEFAULT_MILLIS;
    long total = durationMillis != null ? durationMillis : longest;
    wantedMillis = isLoop ? loopMillis : total;
    RecordingRounds rounds =
        new RecordingRounds(
            new RemoteRecording.Request(settings, wishes, wantedMillis, GRACE_MILLIS, 0),
            total,
            millis -> show(millis, total));
    try (Recorder recorder = place.open(target.pid(), wishes)) {
      TargetProcess process = recorder.process();
      rounds.run(recorder, (recording, last) -> take(process, recording, last), () -> {});
    }
    return 0;
  }

  private void mustBeLoop() throws FailedException {
    if (loopMillis < MIN_LOOP_MILLIS) {
      throw new FailedException("--loop must be at least 1s");
    }
    if (output != null && Output.isStandardOutput(Path.of(output))) {
      throw new FailedException("--loop writes files: -o must name them");
    }
    String problem = pattern.problem();
    if (!problem.isEmpty()) {
      throw new FailedException("-o " + output + ": " + problem);
    }
  }

  /** The file of a recording; without --loop the name as it is. */
  private Path file(long startMillis, boolean mustBeNew) {
    if (loopMillis == null && output != null) {
      return Path.of(output);
    }
    return mustBeNew && loopMillis != null
        ? pattern.newFile(target.pid(), startMillis, recordings)
        : pattern.file(target.pid(), startMillis, recordings);
  }

  private void take(TargetProcess process, RoundRecording recording, boolean last)
      throws FailedException {
    Path file = file(recording.startMillis(), true);
    boolean isFile = !Output.isStandardOutput(file) && !Output.isDevice(file);
    recordings++;
    long nanos = recording.nanos();
    save(process, recording, file, isFile);
    if (last && System.console() != null) {
      System.err.println(); // ends the line of the progress
    }
    sayEnding(recording, nanos);
    if (last && recording.isTargetAlive()) {
      sayReport(recording);
    }
    if (isFile) {
      if (!noWeave && !noSample && !sampling.hasEvent()) {
        weave(process, file);
      }
      System.out.println(file);
      if (last) {
        System.err.println(next(file));
      }
    }
  }

  private String next(Path file) throws FailedException {
    if (noSample && !onlyWaiting) {
      return "stackweave: no sample was taken, so there is nothing to draw; the lines above say why";
    }
    List<Object> words = new ArrayList<>(List.of("flamegraph"));
    if (onlyWaiting) {
      words.add("--wall");
    } else if (sampling.hasEvent()) {
      words.addAll(List.of("--event", sampling.event()));
    }
    words.add(OwnCommand.file(file));
    return "next: " + OwnCommand.line(words.toArray());
  }

  private void save(TargetProcess process, RoundRecording recording, Path file, boolean isFile)
      throws FailedException {
    try {
      if (!recording.isReadable()) {
        // JFR also reports that it stopped the recording if the disk was full.
        throw new FailedException(
            "process %s did not write all of its recording: that JVM's log says why", target.pid());
      }
      if (isFile) {
        mustFit(process, recording.size(), file);
      }
      Output.privately(file, true, recording::copy);
    } catch (IOException e) {
      throw new FailedException(
          "can't read the recording that process %s made: %s",
          target.pid(), FailedException.reason(e));
    } catch (FailedException e) {
      // Keeps the file, the only copy of the recording.
      throw new FailedException(
          FailedException.worded(e) + "; for an hour the recording is kept as " + recording.keep());
    }
  }

  /** Weaves the saved recording, which is replaced at the end; a failure leaves it unchanged. */
  private void weave(TargetProcess process, Path file) {
    try {
      if (!isOwn(process)) {
        // That user controls its size, and so the time.
        sayUnwoven(file, "the process is another user's");
        return;
      }
      mustFit(process, MAX_GROWTH * Files.size(file), file);
      RecordingMerge merge =
          RecordingMerge.of(List.of(file), MergeOptions.DEFAULT, ReadingProgress.NONE);
      // Ctrl-C, which ends many recordings, waits for this as for the recording itself.
      Output.privately(file, true, merge::writeTo);
    } catch (FailedException e) {
      sayUnwoven(file, FailedException.worded(e));
    } catch (IOException | RecordingException | RuntimeException | OutOfMemoryError e) {
      sayUnwoven(file, String.valueOf(e.getMessage()));
    }
  }

  private static boolean isOwn(TargetProcess process) throws IOException {
    return process.uid() == OwnDirectory.effectiveUid();
  }

  private static void sayUnwoven(Path file, String why) {
    CommandMessages.say(
        "%s is as the JVM wrote it, without jdk.ExecutionSample events of the samples:"
            + " %s; %s adds them",
        file, why, OwnCommand.line("merge", OwnCommand.file(file)));
  }

  /** Refuses a recording that does not fit: another user's JVM must not fill the disk. */
  private static void mustFit(TargetProcess process, long size, Path file)
      throws FailedException, IOException {
    long room = file.toAbsolutePath().getParent().toFile().getUsableSpace();
    if (size > room - (isOwn(process) ? 0 : KEPT_FREE)) {
      throw new FailedException(
          "can't write " + file + ": no space left for the recording's " + size + " bytes");
    }
  }

  private void sayEnding(RoundRecording recording, long nanos) {
    long wanted = wantedMillis * 1_000_000L;
    String after = " after " + Timespans.spoken(nanos) + " of " + Timespans.spoken(wanted);
    String ending = recording.ending(after);
    String said =
        ending.isEmpty()
            ? otherTime(recording.spanNanos(), wanted, nanos)
            : ending + "; saved " + recording.saved();
    if (!said.isEmpty()) {
      CommandMessages.say(said);
    }
  }

  private void sayReport(RoundRecording recording) {
    try {
      String report = recording.report();
      if (!report.isEmpty()) {
        System.err.println(Plain.report(report));
        noSample = report.lines().anyMatch(line -> line.startsWith(NO_SAMPLE));
        onlyWaiting = noSample && report.lines().anyMatch(line -> line.matches(HAS_WAITING));
      }
    } catch (FailedException e) {
      // The recording is saved; only the summary is missing.
      CommandMessages.say(FailedException.worded(e));
    }
  }

  /**
   * The message on a recording of another length than requested; empty if it has that length.
   *
   * @param nanos its length, negative if unknown
   * @param passed the time since its start, which Ctrl-C or the end of a loop may have made shorter
   */
  static String otherTime(long nanos, long wanted, long passed) {
    long asked = Math.min(wanted, passed);
    return nanos < 0 || Math.abs(nanos - asked) <= MIN_OFF_NANOS + asked / 10
        ? ""
        : "the recording is of "
            + Timespans.spoken(nanos)
            + ", and "
            + Timespans.spoken(asked)
            + " were asked for";
  }

  /** Shows on a terminal how long it has recorded. */
  private void show(long millis, long total) {
    long seconds = millis / 1_000;
    if (System.console() == null || seconds == secondsSaid) {
      return;
    }
    secondsSaid = seconds;
    if (total == DurationConverter.MAX_MILLIS) {
      System.err.printf(Locale.ROOT, "\rrecording: %d s, %d files ", seconds, recordings);
    } else {
      System.err.printf(Locale.ROOT, "\rrecording: %d of %d s ", seconds, total / 1_000);
    }
  }
}
