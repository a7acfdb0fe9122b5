package stackweave.agent.cli.read;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.ProgressLine;
import stackweave.jfr.export.symbols.NativeNames;
import stackweave.jfr.export.symbols.TemplateFolding;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;

/** The options for the names of native functions, and the reading of recordings with them. */
final class SymbolOptions {
  @Option(
      names = "--symbols",
      paramLabel = "DIR",
      description =
          "Names native functions that have none in the recording, and shows functions that were"
              + " inlined, from files below this directory with the build id of their library;"
              + " several are allowed. Such as /usr/lib/debug or ~/.cache/debuginfod_client.")
  private List<Path> directories = List.of();

  @Option(
      names = "--fold-templates",
      description =
          "Instances of a C++ template, or of a generic Rust function, are one function:"
              + " std::vector<...>::push_back.")
  private boolean foldTemplates;

  /** Files whose missing names were reported: a file may be opened for CPU time and for waiting. */
  private final Set<Path> said = new HashSet<>();

  /**
   * Opens a recording, with progress on a terminal; prints which names are missing.
   *
   * @param timed whether the times of samples are kept
   * @param choice which samples
   */
  SampledRecording open(Path file, boolean timed, SampleChoice choice)
      throws RecordingException, FailedException {
    if (directories.isEmpty()) {
      return open(file, timed, SampledFrame.Change.NONE, choice);
    }
    for (Path directory : directories) {
      if (!Files.isDirectory(directory)) {
        throw new FailedException("--symbols " + directory + " is no directory");
      }
    }
    try (NativeNames names = new NativeNames(directories)) {
      SampledRecording recording = open(file, timed, names, choice);
      // Visits all stacks, so that missing names are reported before the export.
      recording.forEachStack((thread, end, frames, count, weight) -> {});
      for (String note : said.add(file) ? names.notes() : List.<String>of()) {
        CommandMessages.say(file + ": " + note);
      }
      return recording;
    }
  }

  private SampledRecording open(
      Path file, boolean timed, SampledFrame.Change change, SampleChoice choice)
      throws RecordingException {
    SampledFrame.Change all = foldTemplates ? new TemplateFolding(change) : change;
    try (ProgressLine progress = ProgressLine.begin()) {
      return SampledRecording.open(file, progress, timed, all, choice);
    }
  }
}
