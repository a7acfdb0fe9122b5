package stackweave.agent.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import stackweave.testing.Jdk;

/**
 * A JDK that the tests run: every one from Java 17 on under /usr/lib/jvm, those that {@code
 * verification/jdk} makes, and ours.
 */
public record Jvm(Path home, int feature) {

  private static final long TIMEOUT_SECONDS = 120;

  /** The end of a JVM. */
  record Result(int exit, String out, String err) {}

  public static Stream<Jvm> all() {
    return Jdk.all().stream().map(jdk -> new Jvm(jdk.home(), jdk.feature()));
  }

  /** Those that restrict System.load. */
  static Stream<Jvm> restricting() {
    return all().filter(jvm -> jvm.feature >= 24);
  }

  /**
   * Runs the command line of the agent's jar: {@code java -jar stackweave-agent.jar arguments…}.
   */
  Result commandLine(Path directory, String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of("-jar", Jars.AGENT.toString()));
    all.addAll(List.of(arguments));
    return run(directory, all);
  }

  /** Runs {@code java} in this directory until it ends. */
  Result run(Path directory, List<String> arguments) throws IOException, InterruptedException {
    Path out = Files.createTempFile(directory, "out", ".txt");
    Path err = Files.createTempFile(directory, "err", ".txt");
    Process process =
        start(directory, arguments)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    process.getOutputStream().close();
    if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
      throw new IllegalStateException(arguments + " did not end: " + Files.readString(err));
    }
    return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  ProcessBuilder start(Path directory, List<String> arguments) {
    List<String> command = new ArrayList<>(List.of(home.resolve("bin/java").toString()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    return builder;
  }

  @Override
  public String toString() {
    return "JDK " + feature;
  }
}
