package stackweave.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A JVM of its own that a test runs, with or without the agent: first its command line, then it is
 * started, once or several times. Not thread-safe.
 */
public final class ForkedJvm {
  /** What the build made, and a user copies; seen from the directory of any module. */
  public static final Path AGENT =
      Path.of("../agent/target/stackweave-agent.jar").toAbsolutePath().normalize();

  /** The agent's limit where a test gives no other, for slow machines; null: as usual. */
  private static final String DRAIN = System.getProperty("it.drain");

  /** For programs that end before more compilers and collectors pay. */
  private static final List<String> QUICK = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  /** Where JVMs that a thread starts keep each different stack; null for nowhere. */
  private static final ThreadLocal<Path> KEPT = new ThreadLocal<>();

  private final Jdk jdk;
  private final Path directory;
  private final List<String> wrapper = new ArrayList<>();
  private final List<String> options = new ArrayList<>();
  private final Map<String, String> environment = new TreeMap<>();
  private Path recording;

  private ForkedJvm(Jdk jdk, Path directory) {
    this.jdk = jdk;
    this.directory = directory;
  }

  /**
   * One of this JDK.
   *
   * @param directory in which it runs, and that gets its output
   */
  public static ForkedJvm on(Jdk jdk, Path directory) {
    return new ForkedJvm(jdk, directory);
  }

  /**
   * What makes a short program cheaper: one compiler and one collector thread. For tests in which
   * neither C2's code nor the collector matters.
   *
   * @param options those that the JVM gets in any case
   */
  public static List<String> quick(List<String> options) {
    boolean chooses =
        options.stream()
            .anyMatch(option -> option.matches("-XX:(\\+Use\\w+GC|.*Compil.*|Tiered.*)"));
    return chooses ? List.of() : QUICK;
  }

  /** The words of {@code java -jar stackweave-agent.jar arguments…}, by a JDK. */
  public static List<String> agentCommand(Jdk jdk, Object... arguments) {
    List<String> words = new ArrayList<>(List.of(jdk.java().toString()));
    words.addAll(QUICK);
    words.addAll(List.of("-jar", AGENT.toString()));
    Arrays.stream(arguments).map(Object::toString).forEach(words::add);
    return words;
  }

  /** The same by the JDK that runs the tests. */
  public static Object[] agentCommand(Object... arguments) {
    return agentCommand(Jdk.in(Path.of(System.getProperty("java.home"))), arguments).toArray();
  }

  /**
   * From now on, JVMs of this thread keep each different stack as a replay file.
   *
   * @param directory gets a directory for each JVM; null for no longer
   */
  static void keepStacks(Path directory) {
    KEPT.set(directory);
  }

  /**
   * The options by which a JVM of this thread keeps its stacks, each after a comma; or none.
   *
   * @param hasDrain whether it has a limit of the drain thread already
   */
  public static String keepingStacks(boolean hasDrain) {
    if (KEPT.get() == null) {
      return "";
    }
    try {
      Path own = Files.createTempDirectory(KEPT.get(), "jvm");
      return ",record-failures=every:" + own + (hasDrain ? "" : ",drain=100");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** With these options of the agent, as after {@code =} in -javaagent. */
  public ForkedJvm agent(String... agentOptions) {
    if (!Files.isRegularFile(AGENT)) {
      throw new AssertionError(AGENT + " is missing: mvn -DskipTests package");
    }
    String all = String.join(",", agentOptions);
    if (!all.contains("record-failures")) {
      all += keepingStacks(all.contains("drain="));
    }
    if (DRAIN != null && !all.contains("drain=")) {
      all += ",drain=" + DRAIN;
    }
    return options("-javaagent:" + AGENT + (all.isEmpty() ? "" : "=" + all.replaceFirst("^,", "")));
  }

  /** A recording from start to exit, with settings as in {@code +stackweave.NativeSample#…}. */
  public ForkedJvm recording(String... settings) {
    recording = directory.resolve("recording.jfr");
    String all = settings.length == 0 ? "" : "," + String.join(",", settings);
    return options("-XX:StartFlightRecording:filename=" + recording + all, "-Xlog:jfr+startup=off");
  }

  /** With these options of the JVM, in the order in which they are given. */
  public ForkedJvm options(String... more) {
    options.addAll(Arrays.asList(more));
    return this;
  }

  /** With directories and jars, {@code :} between them, as its class path. */
  public ForkedJvm classPath(String path) {
    return options("-cp", path);
  }

  public ForkedJvm environment(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /** Runs the JVM by another program: {@code command… java …}. */
  public ForkedJvm under(String... command) {
    wrapper.addAll(Arrays.asList(command));
    return this;
  }

  public Path directory() {
    return directory;
  }

  /** What {@link #recording} asks for, once the JVM has ended. */
  public Path recordingFile() {
    return recording;
  }

  /** Its command, to be started by the test itself. */
  public ProcessBuilder command(List<String> arguments) {
    List<String> command = new ArrayList<>(wrapper);
    command.add(jdk.java().toString());
    command.addAll(options);
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().keySet().removeAll(RunningCommand.OF_JVMS);
    builder.environment().putAll(environment);
    return builder;
  }

  /** Starts a main class, or what else comes first in its arguments. */
  public RunningCommand start(String main, String... arguments) {
    return start(all(main, arguments));
  }

  private RunningCommand start(List<String> arguments) {
    try {
      return RunningCommand.start(command(arguments), directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Runs a main class, or what else comes first in its arguments, to its end.
   *
   * @throws AssertionError if it hangs or crashes
   */
  public Ended run(String main, String... arguments) {
    return run(all(main, arguments));
  }

  /**
   * Runs it with these arguments to its end.
   *
   * @throws AssertionError if it hangs or crashes
   */
  public Ended run(List<String> arguments) {
    return end(start(arguments));
  }

  private static List<String> all(String main, String... arguments) {
    List<String> all = new ArrayList<>(List.of(main));
    all.addAll(Arrays.asList(arguments));
    return all;
  }

  /**
   * Waits for the end of what {@link #start} began.
   *
   * @throws AssertionError if it hangs or crashes
   */
  public Ended end(RunningCommand started) {
    try {
      Ended ended = started.end();
      try (var left = Files.newDirectoryStream(directory, "{hs_err*,core*}")) {
        for (Path file : left) {
          throw new AssertionError(ended.what() + " on " + jdk + " crashed: " + file);
        }
      }
      return new Ended(ended.what(), ended.exit(), ended.out(), ended.err(), recording);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
