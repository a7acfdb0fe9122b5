package stackweave.agent.cli.start;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.Plain;
import stackweave.agent.cli.output.ExportFiles;
import stackweave.agent.cli.output.Outputs;
import stackweave.agent.cli.output.Weaving;
import stackweave.agent.cli.process.TargetJvm;
import stackweave.agent.cli.start.JvmRecordings.Found;
import stackweave.jfr.export.ShortNames;
import stackweave.jfr.read.choice.SampleChoice;

/**
 * A program that {@code record -- COMMAND} starts: the launcher {@code java} takes the agent and a
 * recording from the environment, in the program itself and in what it starts. So samples begin
 * with the JVM and need no privilege. The program has this command's standard input, output and
 * error. Used once, on one thread.
 */
public final class StartedProgram {
  private static final int FAILED = 2;
  private static final int MAX_TITLE = 60;

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
      List<Found> all = recordings.found(own);
      for (int i = 0; i < all.size(); i++) {
        Found found = all.get(i);
        take(found, i == 0 ? outputs : outputs.ofProcess(found.pid()), i == 0);
      }
      List<Long> running = recordings.running();
      for (long pid : running) {
        fail(
            "process %s still runs: JFR writes its recording to %s when it ends",
            pid, recordings.directory());
      }
      if (all.isEmpty() && running.isEmpty()) {
        fail(
            "no JVM was recorded: none was started by a launcher java that takes %s",
            JvmRequest.VARIABLE);
      }
    } catch (IOException e) {
      fail("recordings can't be read: %s", FailedException.reasonWithName(e));
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

  private String title() {
    return ShortNames.cut(Plain.line(String.join(" ", words)), MAX_TITLE);
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

  /** Unless a JVM still writes there: JFR ends a JVM in which it can't. */
  private static void remove(JvmRecordings recordings) {
    try {
      if (recordings.running().isEmpty()) {
        recordings.remove();
      }
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
