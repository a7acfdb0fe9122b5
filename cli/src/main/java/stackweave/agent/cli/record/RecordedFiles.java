package stackweave.agent.cli.record;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
import stackweave.agent.cli.output.ExportFiles;
import stackweave.agent.cli.output.Outputs;
import stackweave.agent.cli.output.Weaving;
import stackweave.agent.cli.process.TargetProcess;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.linux.Descriptor;
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
  private final Outputs outputs;

  /** The one file; null if a pattern names each. */
  private final Path single;

  private final FilePattern pattern;
  private final Kind kind;
  private final long eachMillis;
  private final boolean weaves;
  private final SampleChoice choice;

  /** What exports call the recording if it has no name. */
  private String title = "";

  /** When the chunks began that a file of the loop has: what two rounds share is in one file. */
  private final Set<Long> chunks = new HashSet<>();

  private long count;

  /**
   * @param outputs as the user named them
   * @param eachMillis the requested length of each recording
   * @param weaves whether samples become jdk.ExecutionSample events, too
   * @param choice which samples are shown and exported
   */
  RecordedFiles(
      long pid, Outputs outputs, Kind kind, long eachMillis, boolean weaves, SampleChoice choice) {
    String output = outputs.recording();
    this.pid = pid;
    this.outputs = outputs;
    this.single = output == null || kind != Kind.SINGLE ? null : Path.of(output);
    this.pattern = new FilePattern(output != null ? output : usual(kind == Kind.LOOP));
    this.kind = kind;
    this.eachMillis = eachMillis;
    this.weaves = weaves;
    this.choice = choice;
  }

  /** The usual pattern for files. */
  static String usual(boolean isLoop) {
    return isLoop ? "rec-%p-%t.jfr" : "rec-%p.jfr";
  }

  /** How many were taken. */
  long count() {
    return count;
  }

  /** Sets what exports call the recording if it has no name. */
  void setTitle(String text) {
    title = text;
  }

  /** Fails if what a recording that begins now is to leave can't be written. */
  void mustBeWritable() throws FailedException {
    if (outputs.wantsRecording()) {
      Output.mustBeWritable(file(System.currentTimeMillis(), false));
    }
    outputs.mustBeWritable();
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
    if (!outputs.wantsRecording()) {
      takeForExports(process, recording);
      return;
    }
    Path file = file(recording.startMillis(), true);
    boolean isFile = !Output.isStandardOutput(file) && !Output.isDevice(file);
    count++;
    long nanos = recording.nanos();
    save(
        process,
        recording,
        isFile ? file : null,
        () -> Output.privately(file, true, out -> copy(recording, out)));
    if (kind == Kind.MANY) {
      System.out.println(file);
      if (last) {
        sayBriefly(recording, nanos);
      }
      return;
    }
    sayEnding(recording, nanos);
    if (last && (recording.keepsReport() || recording.isTargetAlive())) {
      sayReport(recording);
    }
    if (isFile) {
      if (weaves && !noSample && !hasEvent()) {
        weave(process, file);
      }
      String problem = "";
      if (kind == Kind.SINGLE) {
        problem = exports().write(file, String.valueOf(file.getFileName())).problem();
      }
      System.out.println(file);
      if (!problem.isEmpty()) {
        throw new FailedException(problem);
      }
      if (last && outputs.exports().isEmpty()) {
        System.err.println(next(file));
      }
    }
  }

  private ExportFiles exports() {
    return new ExportFiles(outputs.exports(), choice, System.out);
  }

  /** Writes exports of a recording that does not stay: it has no name, unless they fail. */
  private void takeForExports(TargetProcess process, RoundRecording recording)
      throws FailedException {
    long nanos = recording.nanos();
    try (Descriptor unnamed = saveUnnamed(process, recording)) {
      sayEnding(recording, nanos);
      if (recording.keepsReport() || recording.isTargetAlive()) {
        sayReport(recording);
      }
      ExportFiles.Outcome outcome = exports().write(unnamed.path(), title);
      if (!outcome.problem().isEmpty()) {
        throw new FailedException(
            outcome.problem() + (outcome.hasSamples() ? "; " + kept(unnamed) : ""));
      }
    }
  }

  private Descriptor saveUnnamed(TargetProcess process, RoundRecording recording)
      throws FailedException {
    List<Descriptor> made = new ArrayList<>();
    boolean isSaved = false;
    try {
      save(
          process,
          recording,
          outputs.exports().get(0),
          () -> {
            try {
              made.add(Output.temporary(outputs.directory()));
              try (OutputStream out =
                  Files.newOutputStream(made.get(0).path(), StandardOpenOption.WRITE)) {
                copy(recording, out);
              }
            } catch (IOException e) {
              throw Output.cantWrite(outputs.directory(), e);
            }
          });
      isSaved = true;
      return made.get(0);
    } finally {
      if (!isSaved) {
        made.forEach(Descriptor::close);
      }
    }
  }

  /** Keeps a recording that has no name. */
  private String kept(Descriptor unnamed) {
    try {
      return "the recording is kept as " + Output.keep(unnamed, outputs.directory());
    } catch (IOException e) {
      return "the recording can't be kept: " + FailedException.reason(e);
    }
  }

  private static boolean hasSamples(String report) {
    return !report.isEmpty() && report.lines().noneMatch(line -> line.startsWith(NO_SAMPLE));
  }

  /** Whether an event was sampled in place of CPU time. */
  private boolean hasEvent() {
    return choice.isEvent()
        && !choice.takesEvent(SampledEvent.NATIVE_MEMORY)
        && !choice.takesEvent(SampledEvent.NATIVE_ALLOCATIONS);
  }

  private String next(Path file) {
    if (noSample && !onlyWaiting) {
      return "stackweave: no sample was taken, so there is nothing to draw; the lines above say why";
    }
    List<Object> words = new ArrayList<>(List.of("flamegraph"));
    if (onlyWaiting || choice.isWall()) {
      words.add("--wall");
    } else if (choice.isEvent()) {
      words.addAll(List.of("--event", choice.type()));
    }
    words.add(OwnCommand.file(file));
    return "next: " + OwnCommand.line(words.toArray());
  }

  /** Writes the recording somewhere. */
  private interface Saving {
    void run() throws FailedException;
  }

  /**
   * Saves the recording, which is kept elsewhere if that fails.
   *
   * @param file in the directory that must have room for it; null for none
   */
  private void save(TargetProcess process, RoundRecording recording, Path file, Saving saving)
      throws FailedException {
    try {
      if (!recording.isReadable()) {
        // JFR also reports that it stopped the recording if the disk was full.
        throw new FailedException(
            "process %s did not write all of its recording: that JVM's log says why", pid);
      }
      if (file != null) {
        mustFit(process, recording.size(), file);
      }
      saving.run();
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

  private static void weave(TargetProcess process, Path file) {
    try {
      if (!isOwn(process)) {
        // That user controls its size, and so the time.
        Weaving.sayUnwoven(file, "the process is another user's");
        return;
      }
      mustFit(process, MAX_GROWTH * Files.size(file), file);
      Weaving.weave(file);
    } catch (FailedException | IOException e) {
      Weaving.sayUnwoven(file, FailedException.worded(e));
    }
  }

  private static boolean isOwn(TargetProcess process) throws IOException {
    return process.uid() == OwnDirectory.effectiveUid();
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
