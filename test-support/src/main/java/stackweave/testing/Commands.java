package stackweave.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Runs the programs of the machine that tests need: compilers, readelf, mount, ... Thread-safe. */
public final class Commands {
  private Commands() {}

  /** Whether a program is found, by its path or on the PATH. */
  public static boolean exist(String program) {
    return program.startsWith("/") && Files.isExecutable(Path.of(program))
        || Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }

  /**
   * Runs a command to its end, whatever end that is.
   *
   * @param command its words, by their {@code toString()}
   */
  public static Ended run(Object... command) throws IOException, InterruptedException {
    return run(new ProcessBuilder(Arrays.stream(command).map(Object::toString).toList()));
  }

  /** Runs a command to its end, whatever end that is. */
  public static Ended run(ProcessBuilder builder) throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("command");
    try {
      return RunningCommand.start(builder, directory).end();
    } finally {
      delete(directory);
    }
  }

  /**
   * The standard output of a command that must succeed, in plain English.
   *
   * @throws AssertionError with all that it said if it did not succeed
   */
  public static String output(Object... command) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(Arrays.stream(command).map(Object::toString).toList());
    builder.environment().put("LC_ALL", "C");
    return run(builder).successfully().out();
  }

  /** The same; the test is skipped where there is no such program. */
  public static String outputOrSkip(Object... command) throws IOException, InterruptedException {
    String program = command[0].toString();
    assumeTrue(exist(program), program + " is missing");
    return output(command);
  }

  /** The same of a list of words. */
  public static String output(List<String> command) throws IOException, InterruptedException {
    return output(command.toArray());
  }

  private static void delete(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
