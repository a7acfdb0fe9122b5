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

/** What the commands on one recording have in common. */
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

  /** Reads it, and says on stderr what is missing in it and what to know of it, a line for each. */
  SampledRecording read() throws RecordingException {
    SampledRecording recording = SampledRecording.open(file);
    for (String loss : recording.losses()) {
      System.err.println("stackweave: " + file + ": " + Plain.line(loss));
    }
    for (String warning : recording.warnings()) {
      System.err.println("stackweave: " + file + ": " + Plain.line(warning));
    }
    return recording;
  }

  /** Refuses an output that would overwrite the recording. */
  public void mustNotBe(Path output) throws FailedException {
    mustNotBe(output, file, "the recording");
  }

  /** Refuses an output that would overwrite what it is made of. */
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
