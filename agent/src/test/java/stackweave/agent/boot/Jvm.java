package stackweave.agent.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A JDK that the tests run: every one from Java 17 on under /usr/lib/jvm, those that {@code
 * sample-apps/jdk} makes, and ours.
 */
public record Jvm(Path home, int feature) {

  private static final Pattern VERSION = Pattern.compile("JAVA_VERSION=\"(\\d+).*");
  private static final long TIMEOUT_SECONDS = 120;

  /** The end of a JVM. */
  record Result(int exit, String out, String err) {}

  public static Stream<Jvm> all() {
    TreeMap<Path, Jvm> found = new TreeMap<>();
    List<Path> homes = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"))));
    String ofUser = System.getProperty("user.home") + "/.cache/stackweave";
    String made = System.getenv().getOrDefault("STACKWEAVE_JDKS", ofUser);
    for (Path installed : List.of(Path.of("/usr/lib/jvm"), Path.of(made))) {
      if (Files.isDirectory(installed)) {
        try (Stream<Path> directories = Files.list(installed)) {
          homes.addAll(directories.toList());
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    for (Path home : homes) {
      if (Files.exists(home.resolve("release")) && Files.isExecutable(home.resolve("bin/java"))) {
        Jvm jvm = of(home);
        if (jvm.feature >= 17) {
          found.put(jvm.home, jvm);
        }
      }
    }
    return found.values().stream();
  }

  /** Those that restrict System.load. */
  static Stream<Jvm> restricting() {
    return all().filter(jvm -> jvm.feature >= 24);
  }

  private static Jvm of(Path home) {
    try {
      for (String line : Files.readAllLines(home.resolve("release"))) {
        Matcher version = VERSION.matcher(line);
        if (version.matches()) {
          return new Jvm(home.toRealPath(), Integer.parseInt(version.group(1)));
        }
      }
      throw new IllegalStateException(home + "/release names no version");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
