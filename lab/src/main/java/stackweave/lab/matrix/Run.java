package stackweave.lab.matrix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import stackweave.lab.RecordBeside;
import stackweave.lab.phases.Phases;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;

/**
 * The phases on one JDK under one set of flags, in a JVM of their own that is recorded: by the
 * agent, or from outside.
 *
 * @param jdk under test
 * @param flags under test
 * @param settings of the whole matrix
 * @param seconds of each phase
 */
record Run(Jdk jdk, FlagSet flags, Settings settings, double seconds) {
  /** Time for start and end of a JVM; as much as phases take is for what they do after it. */
  private static final long PATIENCE_SECONDS = 240;

  /** The settings that all runs have in common. */
  record Settings(
      Path agent,
      String classPath,
      Path directory,
      String interval,
      String agentOptions,
      String phases,
      boolean outside) {
    List<String> jvmOptions() {
      return List.of("-Xmx512m", "-Xlog:jfr+startup=off");
    }
  }

  /** A run with its report, or with the reason why there is none. */
  record Outcome(Run run, RunReport report, String failure) {
    boolean isThere() {
      return report != null || failure != null;
    }
  }

  /** The maximum number of frames of a stack: a stack of 256 KiB overflows at about 5,000. */
  static final int DEPTH = 8_192;

  Outcome execute(String name, boolean keep) throws IOException, InterruptedException {
    if (!isAccepted()) {
      return new Outcome(this, null, null);
    }
    Path directory = Files.createDirectories(settings.directory().resolve(name));
    Path recording = directory.resolve("recording.jfr");
    Path report = directory.resolve("report");
    Files.deleteIfExists(recording);
    Files.deleteIfExists(report);
    String failure =
        run(phases(recording), directory, "run", settings.outside() ? recording : null);
    if (failure == null) {
      failure = run(check(recording, report), directory, "check", null);
    }
    Outcome outcome = new Outcome(this, failure == null ? RunReport.read(report) : null, failure);
    if (failure == null && !keep) {
      Files.delete(recording);
    }
    return outcome;
  }

  /** Whether this JDK knows the flags; one that it would ignore counts as unknown. */
  private boolean isAccepted() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(jdk.java().toString()));
    command.addAll(flags.flags());
    command.add("-version");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes());
    return process.waitFor() == 0 && !said.contains("Ignoring option");
  }

  private List<String> phases(Path recording) {
    List<String> command = new ArrayList<>(List.of(jdk.java().toString()));
    command.addAll(settings.jvmOptions());
    command.addAll(flags.flags());
    if (jdk.feature() >= 22) {
      command.add("--enable-native-access=ALL-UNNAMED"); // the samples' libraries, not the agent's
    }
    if (!settings.outside()) {
      command.add(
          "-javaagent:"
              + settings.agent()
              + (ForkedJvm.keepingStacks(false) + settings.agentOptions()).replaceFirst(",", "="));
      command.add(
          "-XX:StartFlightRecording:filename=%s,+stackweave.NativeSample#interval=%s,+stackweave.NativeSample#depth=%d"
              .formatted(recording, settings.interval(), DEPTH));
    }
    command.addAll(List.of("-cp", settings.classPath(), "stackweave.lab.phases.PhaseRun"));
    command.add(Double.toString(seconds));
    if (!settings.phases().isEmpty()) {
      command.add(settings.phases());
    }
    return command;
  }

  /** On the JDK under test, for its class files; without its flags. */
  private List<String> check(Path recording, Path report) {
    return List.of(
        jdk.java().toString(),
        "-Xmx1g",
        "-XX:TieredStopAtLevel=1",
        "-cp",
        settings.classPath(),
        ReportWriter.class.getName(),
        recording.toString(),
        report.toString());
  }

  /**
   * Runs a command to its end; null, or what went wrong.
   *
   * @param recording made from outside; null for none
   */
  private String run(List<String> command, Path directory, String what, Path recording)
      throws IOException, InterruptedException {
    Path err = directory.resolve(what + ".err");
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    Process process =
        builder
            .redirectOutput(directory.resolve(what + ".out").toFile())
            .redirectError(err.toFile())
            .start();
    RecordBeside record = recording == null ? null : record(process, recording, directory);
    long patience = PATIENCE_SECONDS + (long) (2 * seconds * Phases.names().size());
    if (!process.waitFor(patience, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
      return what + " hangs, see " + directory;
    }
    if (process.exitValue() != 0) {
      List<String> said = Files.readAllLines(err);
      return "%s ended with %d: %s, see %s"
          .formatted(what, process.exitValue(), said.isEmpty() ? "" : said.get(0), directory);
    }
    if (record != null) {
      record.end(0);
    }
    return null;
  }

  /** Has the JVM sampled from outside, once its main method runs, so that it can be attached to. */
  private RecordBeside record(Process process, Path recording, Path directory)
      throws IOException, InterruptedException {
    while (process.isAlive() && Files.size(directory.resolve("run.out")) == 0) {
      Thread.sleep(50);
    }
    return RecordBeside.start(
        process.pid(),
        jdk.java(),
        settings.agent(),
        List.of("--interval=" + settings.interval(), "--output=" + recording),
        directory.resolve("record.out"));
  }
}
