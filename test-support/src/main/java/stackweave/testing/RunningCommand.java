package stackweave.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A command that a test has started, its output in files, so that it never waits for a reader. Not
 * thread-safe.
 *
 * @param process the command's own process
 * @param out has its standard output
 * @param err has its standard error
 * @param what the command, and where it runs
 */
public record RunningCommand(Process process, Path out, Path err, String what) {
  /** For what takes seconds: as many times longer as a machine can be busy. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Variables of the environment by which a JVM takes options, and says so. */
  static final List<String> OF_JVMS = List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS");

  /** Starts it; the files of its output are made in a directory. */
  public static RunningCommand start(ProcessBuilder builder, Path directory) throws IOException {
    Path out = Files.createTempFile(directory, "out", ".txt");
    Path err = Files.createTempFile(directory, "err", ".txt");
    builder.environment().keySet().removeAll(OF_JVMS);
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    String what = String.join(" ", builder.command()) + " in " + directory;
    return new RunningCommand(process, out, err, what);
  }

  /** Its number. */
  public long pid() {
    return process.pid();
  }

  /**
   * Closes its standard input and waits for its end.
   *
   * @throws AssertionError if it does not end within five minutes; then it is killed
   */
  public Ended end() throws IOException, InterruptedException {
    return end(PATIENCE);
  }

  /** The same with another patience than five minutes. */
  public Ended end(Duration patience) throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (!process.waitFor(patience.toSeconds(), TimeUnit.SECONDS)) {
      kill();
      throw new AssertionError(what + " does not end\n" + read(out) + read(err));
    }
    return new Ended(what, process.exitValue(), read(out), read(err), null);
  }

  /** Ends it at once, and what it has started. */
  public void kill() throws InterruptedException {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().waitFor();
  }

  /** Whatever it is; a file of characters in another encoding is no error here. */
  private static String read(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }
}
