package stackweave.jfr;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The JDKs of the machine, and programs run by them. */
public final class Jdks {
  /** The system's JDKs, and those that {@code sample-apps/jdk} makes. */
  private static final List<Path> INSTALLED =
      List.of(
          Path.of("/usr/lib/jvm"),
          Path.of(
              System.getenv()
                  .getOrDefault(
                      "STACKWEAVE_JDKS", System.getProperty("user.home") + "/.cache/stackweave")));

  private Jdks() {}

  /** A JDK of version 17 or later. */
  public record Jdk(int feature, Path home) {
    @Override
    public String toString() {
      return "JDK " + feature;
    }

    public String tool(String name) {
      return home.resolve("bin").resolve(name).toString();
    }
  }

  /** All JDKs from 17 on: those installed, and the one that runs this. */
  public static List<Jdk> all() throws IOException {
    TreeMap<String, Jdk> found = new TreeMap<>();
    List<Path> homes = new ArrayList<>();
    homes.add(Path.of(System.getProperty("java.home")));
    for (Path directory : INSTALLED) {
      if (Files.isDirectory(directory)) {
        try (Stream<Path> entries = Files.list(directory)) {
          entries.forEach(homes::add);
        }
      }
    }
    for (Path home : homes) {
      Path release = home.resolve("release");
      if (!Files.isReadable(release) || !Files.isExecutable(home.resolve("bin/javac"))) {
        continue;
      }
      for (String line : Files.readAllLines(release)) {
        if (line.startsWith("JAVA_VERSION=")) {
          int feature = Integer.parseInt(line.replaceAll("[^0-9.]", "").split("\\.")[0]);
          if (feature >= 17) {
            found.put(home.toRealPath().toString(), new Jdk(feature, home.toRealPath()));
          }
        }
      }
    }
    return List.copyOf(found.values());
  }

  /** What a finished process left. */
  public record Outcome(int exit, String output) {
    /** The value of the last line {@code key=value}. */
    public long number(String key) {
      long value = Long.MIN_VALUE;
      for (String line : output.split("\n")) {
        if (line.startsWith(key + "=")) {
          value = Long.parseLong(line.substring(key.length() + 1).strip());
        }
      }
      if (value == Long.MIN_VALUE) {
        throw new AssertionError("no " + key + " in:\n" + output);
      }
      return value;
    }
  }

  /** Runs a main class of the tests with the JVM of {@code jdk}. */
  public static Outcome java(Jdk jdk, List<String> options, Class<?> main, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(jdk.tool("java"));
    command.addAll(options);
    command.add("-cp");
    command.add(classPath());
    command.add(main.getName());
    command.addAll(arguments);
    return run(command);
  }

  /** The classes of this module and its tests, and nothing else. */
  public static String classPath() {
    return Path.of("target/classes").toAbsolutePath()
        + File.pathSeparator
        + Path.of("target/test-classes").toAbsolutePath();
  }

  /** Runs a command to its end, at most two minutes. */
  public static Outcome run(List<String> command) throws IOException, InterruptedException {
    Path output = Files.createTempFile("stackweave-run", ".txt");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(120, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
        throw new AssertionError(command + " did not end:\n" + Files.readString(output));
      }
      return new Outcome(process.exitValue(), Files.readString(output));
    } finally {
      Files.delete(output);
    }
  }
}
