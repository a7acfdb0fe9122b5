package stackweave.agent.cli.record;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.regex.Pattern;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.Plain;
import stackweave.agent.cli.jvm.OwnCommand;
import stackweave.agent.cli.process.TargetProcess;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.weave.MergeOptions;
import stackweave.jfr.weave.RecordingMerge;
import stackweave.linux.OwnDirectory;

/** Saves the recordings of one JVM, and tells the user of each. Not thread-safe. */
final class RecordedFiles {
  /**
   * Bytes of the disk that another user's recording must leave free: the target controls its size.
   */
  private static final long KEPT_FREE = 64L << 20;

  /** Most disk space of a woven recording, in multiples of the recording's size. */
  private static final long MAX_GROWTH = 10;

  /** In the agent's report: there is no sample. */
  private static final String NO_SAMPLE = "samples: 0 taken";

  /** A recording may differ from the requested length by this and a tenth without a message. */
  private static final long MIN_OFF_NANOS = 2_000_000_000L;

  /** In the agent's report: there are samples of waiting threads. */
  private static final String HAS_WAITING = "waiting: [1-9].*";

  /** How files are named, and how much is said of them. */
  enum Kind {
    /** One file. */
    SINGLE,
    /** Those of a loop. */
    LOOP,
    /** Of one of many JVMs. */
    MANY
  }

  /** Lines of the report that are said of each of many JVMs. */
  private static final Pattern BRIEF = Pattern.compile("(samples|stacks|note): .*");

  /** Whether the agent reported no sample; false if the program ended without a report. */
  private boolean noSample;

  /** Whether there are samples of waiting threads, but none of CPU time. */
  private boolean onlyWaiting;

  private final long pid;

  /** The one file; null if a pattern names each. */
  private final Path single;

  private final FilePattern pattern;
  private final Kind kind;
  private final long eachMillis;
  private final boolean weaves;
  private final String event;

  /** When the chunks began that a file of the loop has: what two rounds share is in one file. */
  private final Set<Long> chunks = new HashSet<>();

  private long count;

  /**
   * @param output as the user named it; null for the usual name
   * @param eachMillis the requested length of each recording
   * @param weaves whether samples become jdk.ExecutionSample events, too
   * @param event what is sampled; empty for CPU time
   */
  RecordedFiles(long pid, String output, Kind kind, long eachMillis, boolean weaves, String event) {
    this.pid = pid;
    this.single = output == null || kind != Kind.SINGLE ? null : Path.of(output);
    this.pattern = new FilePattern(output != null ? output : usual(kind == Kind.LOOP));
    this.kind = kind;
    this.eachMillis = eachMillis;
    this.weaves = weaves;
    this.event = event;
  }

  /** The usual pattern for files. */
  static String usual(boolean isLoop) {
    return isLoop ? "rec-%p-%t.jfr" : "rec-%p.jfr";
  }

  /** How many were taken. */
  long count() {
    return count;
  }

  /** The file of a recording that would begin now. */
  Path next() {
    return file(System.currentTimeMillis(), false);
  }

  /** The file of a recording; without --loop the name as it is. */
  private Path file(long startMillis, boolean mustBeNew) {
    if (single != null) {
      return single;
    }
    return mustBeNew && kind != Kind.SINGLE
        ? pattern.newFile(pid, startMillis, count)
        : pattern.file(pid, startMillis, count);
  }

  /** Saves a recording that has ended, and tells the user of it. */
  void take(TargetProcess process, RoundRecording recording, boolean last) throws FailedException {
    if (kind == Kind.MANY && last && !hasSamples(recording.report())) {
      // One of many, of which nobody would look at it.
      String further = count == 0 ? "" : "further ";
      String why = recording.ending("");
      CommandMessages.say(
          "process %s: no %ssample was taken, so there is no %sfile%s",
          pid, further, further, why.isEmpty() ? "" : ": " + why);
      return;
    }
    Path file = file(recording.startMillis(), true);
    boolean isFile = !Output.isStandardOutput(file) && !Output.isDevice(file);
    count++;
    long nanos = recording.nanos();
    save(process, recording, file, isFile);
    if (kind == Kind.MANY) {
      System.out.println(file);
      if (last) {
        sayBriefly(recording, nanos);
      }
      return;
    }
    if (last && System.console() != null) {
      System.err.println(); // ends the line of the progress
    }
    sayEnding(recording, nanos);
    if (last && (recording.keepsReport() || recording.isTargetAlive())) {
      sayReport(recording);
    }
    if (isFile) {
      if (weaves && !noSample && !hasEvent()) {
        weave(process, file);
      }
      System.out.println(file);
      if (last) {
        System.err.println(next(file));
      }
    }
  }

  private static boolean hasSamples(String report) {
    return !report.isEmpty() && report.lines().noneMatch(line -> line.startsWith(NO_SAMPLE));
  }

  private boolean hasEvent() {
    return !event.isEmpty();
  }

  private String next(Path file) {
    if (noSample && !onlyWaiting) {
      return "stackweave: no sample was taken, so there is nothing to draw; the lines above say why";
    }
    List<Object> words = new ArrayList<>(List.of("flamegraph"));
    if (onlyWaiting) {
      words.add("--wall");
    } else if (hasEvent()) {
      words.addAll(List.of("--event", event));
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
            "process %s did not write all of its recording: that JVM's log says why", pid);
      }
      if (isFile) {
        mustFit(process, recording.size(), file);
      }
      Output.privately(file, true, out -> copy(recording, out));
    } catch (IOException e) {
      throw new FailedException(
          "can't read the recording that process %s made: %s", pid, FailedException.reason(e));
    } catch (FailedException e) {
      throw new FailedException(FailedException.worded(e) + "; " + kept(recording));
    }
  }

  private void copy(RoundRecording recording, OutputStream out) throws IOException {
    if (kind == Kind.SINGLE || recording.copyNew(chunks, out) == 0) {
      recording.copy(out);
    }
  }

  /** Keeps the only copy of the recording. */
  private static String kept(RoundRecording recording) {
    try {
      return "the recording is kept as " + recording.keep();
    } catch (IOException e) {
      return "the recording can't be kept elsewhere: " + FailedException.reason(e);
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
        "%s has no jdk.ExecutionSample events of the samples:" + " %s; %s adds them",
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
    String said = ending(recording, nanos);
    if (!said.isEmpty()) {
      CommandMessages.say(said);
    }
  }

  /** What is said of a recording that is shorter or longer; else empty. */
  private String ending(RoundRecording recording, long nanos) {
    long wanted = eachMillis * 1_000_000L;
    String after = " after " + Timespans.spoken(nanos) + " of " + Timespans.spoken(wanted);
    String ending = recording.ending(after);
    return ending.isEmpty()
        ? otherTime(recording.spanNanos(), wanted, nanos)
        : ending + "; saved " + recording.saved();
  }

  /** Says in one line what became of one of many JVMs. */
  private void sayBriefly(RoundRecording recording, long nanos) throws FailedException {
    StringJoiner said = new StringJoiner("; ");
    String ending = ending(recording, nanos);
    if (!ending.isEmpty()) {
      said.add(ending);
    }
    recording.report().lines().filter(BRIEF.asMatchPredicate()).forEach(said::add);
    CommandMessages.say("process %s: %s", pid, Plain.line(said.toString()));
  }

  private void sayReport(RoundRecording recording) {
    try {
      String report = recording.report();
      if (report.isEmpty() && recording.keepsReport()) {
        noSample = true;
        CommandMessages.say("sampling had not begun yet");
      }
      if (!report.isEmpty()) {
        System.err.println(Plain.report(report));
        noSample = !hasSamples(report);
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
}
