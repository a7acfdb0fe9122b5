package stackweave.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.Jdk;
import stackweave.testing.RunningCommand;

/** What tests with parts that others wrote have in common. Stateless. */
final class Parts {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private Parts() {}

  /** The JDK that runs the tests. */
  static Jdk jdk() {
    return Jdk.in(Path.of(System.getProperty("java.home")));
  }

  /**
   * The class path of a program that must not be on that of the tests, by Maven.
   *
   * @param name of a directory with a pom in {@code src/full/parts}
   * @param directory for a file
   */
  static String classPath(String name, Path directory) throws Exception {
    Path list = directory.resolve(name + ".classpath");
    Commands.output(
        "mvn",
        "-B",
        "-ntp",
        "-q",
        "-f",
        Path.of("src/full/parts", name, "pom.xml").toAbsolutePath(),
        "dependency:build-classpath",
        "-Dmdep.outputFile=" + list);
    return Files.readString(list);
  }

  /** A port that was free a moment ago. */
  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /**
   * A named pipe: a recording whose reader waits until it is written.
   *
   * @param directory where it is made, and which is made, too
   */
  static Path pipe(Path directory, String name) throws Exception {
    Path pipe = Files.createDirectories(directory).resolve(name);
    Commands.output("mkfifo", pipe);
    return pipe;
  }

  /** Waits for something that a command does while it runs. */
  static void until(Callable<Boolean> done, RunningCommand command) throws Exception {
    Instant end = Instant.now().plus(PATIENCE);
    while (!done.call()) {
      if (!command.process().isAlive() || Instant.now().isAfter(end)) {
        command.kill();
        throw new AssertionError(
            command.what() + Files.readString(command.out()) + Files.readString(command.err()));
      }
      Thread.sleep(20);
    }
  }

  /** Whether there is a path below a directory that a pattern of the whole path fits. */
  static boolean has(Path directory, String pattern) throws IOException {
    if (!Files.exists(directory)) {
      return false;
    }
    try (Stream<Path> all = Files.walk(directory)) {
      return all.anyMatch(path -> path.toString().matches(pattern));
    } catch (UncheckedIOException e) {
      return false; // a directory was deleted meanwhile
    }
  }

  /** Asserts that a command of the fleet refused, in one line that has a text. */
  static void assertRefused(Ended ended, String text) {
    assertEquals(2, ended.exit(), ended.out() + ended.err());
    List<String> lines = errLines(ended);
    assertEquals(1, lines.size(), ended.err());
    assertTrue(lines.get(0).startsWith("stackweave-fleet: "), ended.err());
    assertTrue(lines.get(0).contains(text), ended.err());
  }

  /** What a command wrote to stderr, without what the JVM says of its options. */
  static List<String> errLines(Ended ended) {
    return ended.errLines().stream().filter(line -> !line.startsWith("WARNING: ")).toList();
  }
}
