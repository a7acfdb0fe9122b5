package stackweave.agent.cli.read;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.jfr.export.Export;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/** The options of the commands that read one recording. */
public final class Recording {

  @Parameters(paramLabel = "REC", description = "The recording (.jfr).")
  private Path file;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description =
          "The file; - is standard output. Default: standard output for text, else a file beside"
              + " the recording.")
  private Path output;

  @Mixin private SymbolOptions symbols;

  @Mixin private TimeOptions time;

  Path file() {
    return file;
  }

  /** A path beside the file, with another ending. */
  static Path beside(Path file, String ending) {
    String name = String.valueOf(file.getFileName());
    int dot = name.lastIndexOf('.');
    return file.resolveSibling((dot > 0 ? name.substring(0, dot) : name) + ending);
  }

  /** The recording's file name, for titles. */
  String title() {
    return String.valueOf(file.getFileName());
  }

  /** The file of -o, which must not be the recording; null for none. */
  Path output() throws FailedException {
    Output.mustNotBe(output, "the recording", file);
    return output;
  }

  /** As {@link #output()}; without -o, a file beside the recording. */
  Path output(String ending) throws FailedException {
    output = output == null ? beside(file, ending) : output;
    return output();
  }

  /** Writes an export of the result of {@link #read}; prints the file's name. */
  void write(Export<SampledRecording> export, SampledRecording recording, Path output)
      throws RecordingException, FailedException {
    try {
      Output.to(output, export, recording);
    } catch (RecordingException e) {
      throw new RecordingException(file + ": " + FailedException.worded(e), e);
    }
    if (!Output.isStandardOutput(output)) {
      System.out.println(output);
    }
  }

  /** Whether no option selects samples. */
  boolean hasAll() throws FailedException {
    return time.choice().isUsual();
  }

  /** Reads the recording; prints its losses and warnings on stderr, one per line. */
  SampledRecording read() throws RecordingException, FailedException {
    return said(file, symbols.open(file, false, time.ofFile()));
  }

  /** The same, if it has samples of the agent. */
  SampledRecording readOfAgent() throws RecordingException, FailedException {
    return said(file, symbols.open(file, false, time.choice()));
  }

  /**
   * Refuses recordings whose samples are not of one type: their weights must not be added up or
   * compared.
   */
  static void mustBeOfOneType(List<SampledRecording> recordings) throws FailedException {
    SampledRecording first = recordings.get(0);
    for (SampledRecording other : recordings) {
      if (!other.choice().type().equals(first.choice().type())) {
        throw new FailedException(
            first.file()
                + " has samples of "
                + first.choice().time()
                + ", and "
                + other.file()
                + " of "
                + other.choice().time()
                + ": --event chooses what all of them have");
      }
    }
  }

  /** Prints a recording's losses and warnings. */
  static SampledRecording said(Path file, SampledRecording recording) {
    for (String loss : recording.losses()) {
      CommandMessages.say(file + ": " + loss);
    }
    for (String warning : recording.warnings()) {
      CommandMessages.say(file + ": " + warning);
    }
    return recording;
  }
}
