package stackweave.agent.cli.output;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.UsageException;

/** The files that {@code record -o} names. Immutable. */
public final class Outputs {
  /** As the user named it; null for none. */
  private final String recording;

  private final List<Path> exports;

  private Outputs(String recording, List<Path> exports) {
    this.recording = recording;
    this.exports = List.copyOf(exports);
  }

  /** A recording alone, by its name or a pattern for it. */
  public static Outputs recording(String name) {
    return new Outputs(name, List.of());
  }

  /**
   * The files of these names.
   *
   * @throws UsageException if the ending of one means nothing, or they don't go together
   */
  public static Outputs of(List<String> names) throws UsageException {
    String recording = null;
    List<Path> exports = new ArrayList<>();
    for (String name : names) {
      Path file = Path.of(name);
      OutputFormat format = OutputFormat.of(file);
      if (format == null && !Files.isDirectory(file)) {
        throw new UsageException(
            "-o %s: its ending says what it is to have: %s", name, OutputFormat.all());
      }
      if (format != null && format != OutputFormat.RECORDING) {
        exports.add(file);
      } else if (recording != null) {
        throw new UsageException("one -o may be a recording, not both %s and %s", recording, name);
      } else {
        recording = name; // or a directory, which can't be written
      }
    }
    Outputs all = new Outputs(recording, exports);
    if (all.isStream() && !exports.isEmpty()) {
      throw new UsageException(
          "-o %s takes a recording alone: the others are made of a file", recording);
    }
    return all;
  }

  /** Whether the recording goes to standard output or a device. */
  public boolean isStream() {
    Path file = recording == null ? null : Path.of(recording);
    return file != null && (Output.isStandardOutput(file) || Output.isDevice(file));
  }

  /** The name of the recording as the user gave it; null if there is none. */
  public String recording() {
    return recording;
  }

  /** Whether a recording is to stay: one was named, or nothing was. */
  public boolean wantsRecording() {
    return recording != null || exports.isEmpty();
  }

  /** What is made of the recording. */
  public List<Path> exports() {
    return exports;
  }

  /** The directory of the first export, where the recording is while it is not to stay. */
  public Path directory() {
    return exports.get(0).toAbsolutePath().getParent();
  }

  /** Fails if an export can't be written. */
  public void mustBeWritable() throws FailedException {
    for (Path export : exports) {
      Output.mustBeWritable(export);
    }
  }

  /** The same files of another process, whose id comes before their endings. */
  public Outputs ofProcess(long pid) {
    return new Outputs(
        recording == null ? null : with(pid, Path.of(recording)).toString(),
        exports.stream().map(export -> with(pid, export)).toList());
  }

  private static Path with(long pid, Path file) {
    String name = file.getFileName().toString();
    OutputFormat format = OutputFormat.of(file);
    String ending = format == null ? "" : format.endingOf(name);
    String stem = name.substring(0, name.length() - ending.length());
    return file.resolveSibling(stem + "-" + pid + ending);
  }
}
