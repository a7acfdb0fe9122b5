package stackweave.jfr;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import stackweave.jfr.store.EventStore;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.unwind.hash.HashIndex;

/** Programs of the tests, run by the JDKs of the machine. */
public final class Programs {
  /** What live tests lock that record in this process: samples of one would be in another's. */
  public static final String OWN_JFR = "JFR of this process";

  private Programs() {}

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
    command.add(jdk.java().toString());
    command.addAll(ForkedJvm.quick(options));
    command.addAll(options);
    command.add("-cp");
    command.add(classPath());
    command.add(main.getName());
    command.addAll(arguments);
    return run(command);
  }

  /** The classes of the module at test and its tests, what they use of others, and nothing else. */
  public static String classPath() {
    Set<String> path = new LinkedHashSet<>();
    path.add(Path.of("target/classes").toAbsolutePath().toString());
    path.add(Path.of("target/test-classes").toAbsolutePath().toString());
    for (Class<?> each : List.of(EventStore.class, Programs.class, HashIndex.class)) {
      path.add(Path.of(each.getProtectionDomain().getCodeSource().getLocation().getPath()) + "");
    }
    return String.join(File.pathSeparator, path);
  }

  /** Runs a command to its end. */
  public static Outcome run(List<String> command) throws IOException, InterruptedException {
    Ended ended = Commands.run(command.toArray());
    return new Outcome(ended.exit(), ended.out() + ended.err());
  }
}
