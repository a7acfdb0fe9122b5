package stackweave.agent.cli.read;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.HelpOption;
import stackweave.agent.cli.common.Plain;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/** The options of the commands that read one recording. */
public final class Recording {

  @Parameters(paramLabel = "REC", description = "The recording (.jfr).")
  private Path file;

  @Option(names = "--threads", description = "Stacks begin with their thread.")
  private boolean threads;

  @Mixin private HelpOption help;

  Path file() {
    return file;
  }

  boolean threads() {
    return threads;
  }

  /** Reads the recording; prints its losses and warnings on stderr, one per line. */
  SampledRecording read() throws RecordingException {
    SampledRecording recording = open(file);
    for (String loss : recording.losses()) {
      System.err.println("stackweave: " + file + ": " + Plain.line(loss));
    }
    for (String warning : recording.warnings()) {
      System.err.println("stackweave: " + file + ": " + Plain.line(warning));
    }
    return recording;
  }

  /** Opens a recording, and says on a terminal how far that is. */
  static SampledRecording open(Path file) throws RecordingException {
    try (ProgressLine progress = ProgressLine.begin()) {
      return SampledRecording.open(file, progress);
    }
  }

  /** Refuses an output that would overwrite the recording. */
  public void mustNotBe(Path output) throws FailedException {
    mustNotBe(output, file, "the recording");
  }

  /**
   * Refuses an output that would overwrite its input.
   *
   * @param name what the input is called in the message
   */
  public static void mustNotBe(Path output, Path file, String name) throws FailedException {
    try {
      if (Files.exists(output) && Files.isSameFile(output, file)) {
        throw new FailedException(output + " is " + name + " itself: choose another -o");
      }
    } catch (IOException e) {
      throw new FailedException("can't write " + output + ": " + FailedException.reason(e));
    }
  }
}
