package stackweave.agent.cli.read;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.Plain;
import stackweave.jfr.export.Export;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/** The options of the commands that read one recording. */
public final class Recording {

  @Parameters(paramLabel = "REC", description = "The recording (.jfr).")
  private Path file;

  @Mixin private SymbolOptions symbols;

  @Mixin private TimeOptions time;

  Path file() {
    return file;
  }

  /** The recording's name with another ending, beside it. */
  Path beside(String ending) {
    return beside(file, ending);
  }

  /** A file's name with another ending, beside it. */
  static Path beside(Path file, String ending) {
    String name = String.valueOf(file.getFileName());
    int dot = name.lastIndexOf('.');
    return file.resolveSibling((dot > 0 ? name.substring(0, dot) : name) + ending);
  }

  /** The recording's file name, for titles. */
  String title() {
    return String.valueOf(file.getFileName());
  }

  /**
   * Writes an export to a file, whose name is then printed, or to standard output.
   *
   * @param output null for a file beside the recording
   * @param ending of that file's name
   * @param export makes the export of what was read
   */
  void export(Path output, String ending, Function<SampledRecording, Export> export)
      throws RecordingException, FailedException {
    Path to = output == null ? beside(ending) : output;
    mustNotBeUnlessStandard(to);
    SampledRecording recording = read();
    write(export.apply(recording), recording, to);
  }

  /** Refuses an output that would overwrite the recording. */
  void mustNotBeUnlessStandard(Path output) throws FailedException {
    if (!Output.isStandardOutput(output)) {
      mustNotBe(output);
    }
  }

  /** Writes an export of what {@link #read} gave; prints the name of a file. */
  void write(Export export, SampledRecording recording, Path output)
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

  /** Whether no option chooses some of the samples. */
  boolean hasAll() throws FailedException {
    return time.choice().isUsual();
  }

  /** Reads the recording; prints its losses and warnings on stderr, one per line. */
  SampledRecording read() throws RecordingException, FailedException {
    return said(file, symbols.open(file, false, time.choice()));
  }

  /** Prints a recording's losses and warnings. */
  static SampledRecording said(Path file, SampledRecording recording) {
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
