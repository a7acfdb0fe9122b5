package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import stackweave.testing.Jdk;
import stackweave.verify.Built;

/** A JVM of its own in a directory of its own, with or without the agent. */
final class ForkedJvm {

  static final Path AGENT =
      Path.of("../agent/target/stackweave-agent.jar").toAbsolutePath().normalize();

  private static final Path TARGET = Path.of("target").toAbsolutePath();

  private final Jdk jdk;
  private final Path directory;
  private final List<String> wrapper = new ArrayList<>();
  private final List<String> options = new ArrayList<>();
  private final Map<String, String> environment = new TreeMap<>();
  private String classPath = Built.classPath() + ":" + TARGET + "/test-classes";
  private Path recording;

  private ForkedJvm(Jdk jdk, Path directory) {
    this.jdk = jdk;
    this.directory = directory;
    if (jdk.feature() >= 22) {
      options.add("--enable-native-access=ALL-UNNAMED"); // the samples' libraries, not the agent's
    }
  }

  /** What a JVM that has ended leaves. */
  record Ended(String what, int exit, List<String> out, List<String> err, Path recording) {

    /** This, if it ended as it should. */
    Ended successfully() {
      assertEquals(0, exit, () -> what + "\n" + String.join("\n", out) + String.join("\n", err));
      return this;
    }
  }

  static ForkedJvm on(Jdk jdk) {
    try {
      Path runs = Files.createDirectories(TARGET.resolve("it"));
      return new ForkedJvm(jdk, Files.createTempDirectory(runs, "jvm"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Without the libraries of the zoo: the tests' own programs and the lab need none. */
  ForkedJvm withoutLibraries() {
    classPath = Built.classes() + ":" + TARGET + "/test-classes";
    return this;
  }

  /** With these options of the agent, as after {@code =} in -javaagent. */
  ForkedJvm agent(String... agentOptions) {
    assertTrue(Files.isRegularFile(AGENT), () -> AGENT + " is missing: mvn -DskipTests package");
    String all = agentOptions.length == 0 ? "" : "=" + String.join(",", agentOptions);
    options.add("-javaagent:" + AGENT + all);
    return this;
  }

  /** A recording from start to exit, with settings as in {@code +stackweave.NativeSample#…}. */
  ForkedJvm recording(String... settings) {
    recording = directory.resolve("recording.jfr");
    String all = settings.length == 0 ? "" : "," + String.join(",", settings);
    options.add("-XX:StartFlightRecording:filename=" + recording + all);
    options.add("-Xlog:jfr+startup=off");
    return this;
  }

  ForkedJvm options(String... more) {
    options.addAll(Arrays.asList(more));
    return this;
  }

  ForkedJvm environment(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /** Runs the JVM by another program: {@code command… java …}. */
  ForkedJvm under(String... command) {
    wrapper.addAll(Arrays.asList(command));
    return this;
  }

  Path directory() {
    return directory;
  }

  Path recordingFile() {
    return recording;
  }

  /** Starts {@code main}; standard output and error go to files in {@link #directory()}. */
  Process start(String main, String... args) {
    List<String> command = new ArrayList<>(wrapper);
    command.add(jdk.java().toString());
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, main));
    command.addAll(Arrays.asList(args));
    return start(command);
  }

  private Process start(List<String> command) {
    try {
      ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
      builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
      builder.environment().putAll(environment);
      return builder
          .redirectOutput(directory.resolve("out").toFile())
          .redirectError(directory.resolve("err").toFile())
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Runs {@code main} to its end; a JVM that hangs for five minutes is killed and fails the test.
   */
  public Ended run(String main, String... args) {
    return end(start(main, args), main);
  }

  /** Runs {@code java -jar JAR args…} to its end. */
  Ended runJar(Path jar, String... args) {
    List<String> command = new ArrayList<>(List.of(jdk.java().toString(), "-jar", jar.toString()));
    command.addAll(Arrays.asList(args));
    return end(start(command), jar.getFileName() + " " + String.join(" ", args));
  }

  /** Waits for the end of a JVM that {@link #start} began. */
  Ended end(Process process, String what) {
    try {
      boolean ended = process.waitFor(5, TimeUnit.MINUTES);
      if (!ended) {
        process.destroyForcibly().waitFor();
      }
      assertTrue(ended, () -> what + " on " + jdk + " hangs, see " + directory);
      try (var left = Files.newDirectoryStream(directory, "{hs_err*,core*}")) {
        left.forEach(
            file -> {
              throw new AssertionError(what + " on " + jdk + " crashed: " + file);
            });
      }
      return new Ended(
          what + " on " + jdk + " in " + directory,
          process.exitValue(),
          Files.readAllLines(directory.resolve("out")),
          Files.readAllLines(directory.resolve("err")),
          recording);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
