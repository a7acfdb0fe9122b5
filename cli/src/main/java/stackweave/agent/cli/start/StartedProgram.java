package stackweave.agent.cli.start;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.output.ExportFiles;
import stackweave.agent.cli.output.Outputs;
import stackweave.agent.cli.output.Weaving;
import stackweave.agent.cli.process.ProgramName;
import stackweave.agent.cli.process.TargetJvm;
import stackweave.agent.cli.start.JvmRecordings.Found;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;

/**
 * A program that {@code record -- COMMAND} starts: the launcher {@code java} takes the agent and a
 * recording from the environment, in the program itself and in what it starts. So samples begin
 * with the JVM and need no privilege. The program has this command's standard input, output and
 * error. Used once, on one thread.
 */
public final class StartedProgram {
  private static final int FAILED = 2;

  private final List<String> words;
  private final Outputs outputs;
  private final boolean weaves;
  private final SampleChoice choice;

  /** Whether an output is missing, which has been said. */
  private boolean isIncomplete;

  /**
   * @param words the command and its arguments
   * @param outputs what is to be left of its JVM; of further ones with their process ids
   * @param weaves whether samples become jdk.ExecutionSample events, too
   * @param choice which samples are shown and exported
   */
  public StartedProgram(List<String> words, Outputs outputs, boolean weaves, SampleChoice choice) {
    this.words = List.copyOf(words);
    this.outputs = outputs;
    this.weaves = weaves;
    this.choice = choice;
  }

  /**
   * Runs the program and writes the outputs when it has ended. Signals that would end this command
   * go to the program.
   *
   * @return the program's exit code; 2 if that is 0 and an output is missing
   * @throws FailedException if the program was not started
   */
  public int run(JvmRequest request) throws FailedException {
    if (outputs.wantsRecording()) {
      Output.mustBeWritable(Path.of(recording(outputs, 0)));
    }
    outputs.mustBeWritable();
    Path directory;
    try {
      directory = Files.createTempDirectory("stackweave-").toRealPath();
    } catch (IOException e) {
      throw Output.cantWrite(Path.of(System.getProperty("java.io.tmpdir")), e);
    }
    JvmRecordings recordings = new JvmRecordings(directory);
    Thread atExit = new Thread(() -> remove(recordings)); // Ctrl-C while outputs are written
    Runtime.getRuntime().addShutdownHook(atExit);
    try {
      Ended ended = started(request, directory);
      take(recordings, ended.pid());
      return ended.code() == 0 && isIncomplete ? FAILED : ended.code();
    } finally {
      forget(atExit);
      remove(recordings);
    }
  }

  private record Ended(long pid, int code) {}

  private Ended started(JvmRequest request, Path directory) throws FailedException {
    ProcessBuilder builder = new ProcessBuilder(words).inheritIO();
    Map<String, String> environment = builder.environment();
    String before = environment.getOrDefault(JvmRequest.VARIABLE, "");
    environment.put(JvmRequest.VARIABLE, request.options(before, TargetJvm.ownJar(), directory));
    try (PassedSignals signals = new PassedSignals()) {
      Process process = builder.start();
      signals.to(process);
      return new Ended(process.pid(), process.waitFor());
    } catch (IOException e) {
      throw new FailedException(
          "can't start %s: %s",
          words.get(0),
          FailedException.worded(e.getCause() == null ? e : e.getCause())
              .replaceFirst("^error=\\d+, ", ""));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FailedException("interrupted while the program ran");
    }
  }

  private void take(JvmRecordings recordings, long own) {
    try {
      List<Found> all = recordings.found();
      List<Found> taken = worthTaking(all, own, this::samples);
      for (int i = 0; i < taken.size(); i++) {
        Found found = taken.get(i);
        take(found, i == 0 ? outputs : outputs.ofProcess(found.pid()), i == 0);
      }
      Set<Long> running = recordings.running();
      Set<Long> ended = all.stream().map(Found::pid).collect(Collectors.toSet());
      for (long pid : running) {
        if (ended.contains(pid)) {
          CommandMessages.say(
              "process %s still runs; its recording has ended, and JFR still has a directory in %s",
              pid, recordings.directory());
        } else {
          fail(
              "process %s still runs: JFR writes its recording to %s when it ends",
              pid, recordings.directory());
        }
      }
      if (all.isEmpty() && running.isEmpty()) {
        fail(
            "no JVM was recorded: only the launcher java takes the options in %s, and JVMs of another"
                + " user or of JDK 9 to 16 do not start with them; record PID samples one that runs",
            JvmRequest.VARIABLE);
      }
    } catch (IOException e) {
      fail("recordings can't be read: %s", FailedException.reasonWithName(e));
    }
  }

  /**
   * The recordings that have samples, those with the most first. If none has, only that of the
   * program's own process, or else one of them.
   *
   * @param own the program's process id
   * @param samples how many a recording has
   */
  static List<Found> worthTaking(List<Found> all, long own, ToLongFunction<Found> samples) {
    List<Found> sorted = new ArrayList<>(all);
    sorted.sort(Comparator.comparing(found -> found.pid() != own));
    if (all.size() < 2) {
      return sorted; // it is read once
    }
    Map<Found, Long> counts = new HashMap<>();
    all.forEach(found -> counts.put(found, samples.applyAsLong(found)));
    sorted.sort(Comparator.comparing((Found found) -> counts.get(found)).reversed());
    long with = sorted.stream().filter(found -> counts.get(found) > 0).count();
    return sorted.subList(0, (int) Math.max(1, with));
  }

  /** How many samples it has; 1 if it can't be read, so that this is said. */
  private long samples(Found found) {
    try {
      return SampledRecording.open(
              found.file(), ReadingProgress.NONE, false, SampledFrame.Change.NONE, choice)
          .samples();
    } catch (RecordingException e) {
      return e.isWithoutSamples() ? 0 : 1;
    } catch (RuntimeException | OutOfMemoryError e) {
      return 1;
    }
  }

  private void take(Found found, Outputs own, boolean isFirst) {
    if (found.wasKilled()) {
      CommandMessages.say(
          "process %s was killed or crashed; saved what JFR had written until then, up to a second"
              + " before",
          found.pid());
    }
    boolean wantsRecording = own.wantsRecording();
    try {
      Path file = found.file();
      String title = isFirst ? title() : "process " + found.pid();
      if (wantsRecording) {
        file = Path.of(recording(own, found.pid()));
        title = file.getFileName().toString();
        Output.privately(file, true, out -> Files.copy(found.file(), out));
        if (weaves) {
          Weaving.weave(file);
        }
      }
      ExportFiles exports = new ExportFiles(own.exports(), choice, System.err);
      ExportFiles.Outcome outcome = exports.write(file, title);
      if (wantsRecording) {
        System.err.println(file);
      }
      if (!outcome.problem().isEmpty()) {
        boolean isLost = !wantsRecording && outcome.hasSamples();
        fail("%s", outcome.problem() + (isLost ? "; " + kept(found) : ""));
      }
    } catch (FailedException e) {
      fail("%s", FailedException.worded(e) + "; " + kept(found));
    }
  }

  private static String recording(Outputs own, long pid) {
    return own.recording() == null ? "rec-" + pid + ".jfr" : own.recording();
  }

  /** Not the arguments, which may have passwords. */
  private String title() {
    return ProgramName.shown(ProgramName.of(words));
  }

  /** Keeps a recording that would be removed. */
  private static String kept(Found found) {
    Path directory = found.file().getParent();
    Path kept = directory.resolveSibling(directory.getFileName() + "-" + found.pid() + ".jfr");
    try {
      Files.setPosixFilePermissions(found.file(), PosixFilePermissions.fromString("rw-------"));
      return "the recording is kept as " + Files.move(found.file(), kept);
    } catch (IOException e) {
      return "the recording can't be kept: " + FailedException.reason(e);
    }
  }

  private void fail(String format, Object... values) {
    isIncomplete = true;
    CommandMessages.say(format, values);
  }

  private static void remove(JvmRecordings recordings) {
    try {
      recordings.remove();
    } catch (IOException e) {
      return; // it was removed before
    }
  }

  private static void forget(Thread atExit) {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      return; // this JVM is ending, and it runs
    }
  }
}
