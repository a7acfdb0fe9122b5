package stackweave.agent.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.ParseResult;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;

/**
 * The files that a command reads, with their state when it began: if one changes meanwhile, the
 * result may mix two recordings. Not thread-safe.
 */
final class InputFiles {
  /** In the label of parameters that name a process, or the program that it is to run. */
  private static final String PROCESS = "PID";

  private static final String MEANWHILE = " while it was read";

  private record State(long bytes, FileTime modified, Object key) {}

  private final Map<String, State> states = new LinkedHashMap<>();

  private InputFiles() {}

  /** The files among a command's parameters; output files are named by options. */
  static InputFiles of(ParseResult parsed) {
    InputFiles files = new InputFiles();
    for (ParseResult at = parsed; at != null; at = at.subcommand()) {
      at.matchedPositionals().stream()
          .filter(parameter -> !parameter.paramLabel().contains(PROCESS))
          .flatMap(parameter -> parameter.originalStringValues().stream())
          .forEach(name -> files.states.put(name, state(name)));
    }
    return files;
  }

  /**
   * Reports on stderr files that grew, as those do that JFR still writes.
   *
   * @throws FailedException if one has changed in another way
   */
  void compare() throws FailedException {
    for (Map.Entry<String, State> entry : states.entrySet()) {
      String name = entry.getKey();
      State before = entry.getValue();
      State now = before == null ? null : state(name);
      if (now == null || now.equals(before)) {
        continue; // removed: it was read nevertheless
      }
      if (!Objects.equals(now.key, before.key)) {
        throw failed(name, " was replaced by another file" + MEANWHILE);
      }
      if (now.bytes <= before.bytes) {
        throw failed(name, " was overwritten" + MEANWHILE);
      }
      CommandMessages.say("%s: grew%s: what was added last is not in the result", name, MEANWHILE);
    }
  }

  private static FailedException failed(String name, String what) {
    return new FailedException(
        name + what + ": the result may be wrong; copy the file first, and read the copy");
  }

  /** Null if there is no such file. */
  private static State state(String name) {
    try {
      BasicFileAttributes file = Files.readAttributes(Path.of(name), BasicFileAttributes.class);
      return file.isRegularFile()
          ? new State(file.size(), file.lastModifiedTime(), file.fileKey())
          : null;
    } catch (IOException | InvalidPathException e) {
      return null;
    }
  }
}
