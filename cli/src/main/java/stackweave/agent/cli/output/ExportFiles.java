package stackweave.agent.cli.output;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.StringJoiner;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.ProgressLine;
import stackweave.jfr.export.TopExport;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;

/** Reads a recording that was made, shows its hottest functions and writes its exports. */
public final class ExportFiles {
  /** With a heading and a row for all others, ten lines. */
  private static final int ROWS = 8;

  private final List<Path> files;
  private final SampleChoice choice;
  private final PrintStream names;

  /**
   * What became of them.
   *
   * @param problem why some are not written, in one line; empty if all are
   * @param hasSamples whether the recording has samples, and so is worth to be kept
   */
  public record Outcome(String problem, boolean hasSamples) {
    /** All are written. */
    static final Outcome WRITTEN = new Outcome("", true);
  }

  /**
   * @param files the exports, which may be none
   * @param choice which samples they have
   * @param names gets a line with the name of each that is written
   */
  public ExportFiles(List<Path> files, SampleChoice choice, PrintStream names) {
    this.files = List.copyOf(files);
    this.choice = choice;
    this.names = names;
  }

  /**
   * Shows the hottest functions on standard error, and writes the exports.
   *
   * @param recording may be a descriptor's path
   * @param title what the exports call it
   */
  public Outcome write(Path recording, String title) {
    try (ProgressLine progress = ProgressLine.begin()) {
      boolean isTimed = files.stream().anyMatch(file -> OutputFormat.of(file).isTimed());
      SampledRecording read =
          SampledRecording.open(recording, progress, isTimed, SampledFrame.Change.NONE, choice);
      progress.clear();
      if (!files.isEmpty()) {
        read.losses().forEach(loss -> CommandMessages.say(title + ": " + loss));
        read.warnings().forEach(warning -> CommandMessages.say(title + ": " + warning));
      }
      showHottest(read, title);
      return write(read, title, progress);
    } catch (RecordingException e) {
      return e.isWithoutSamples()
          ? unread("the recording " + e.whyWithoutSamples(), false)
          : unread(FailedException.worded(e).replace(recording + ": ", ""), true);
    } catch (RuntimeException | OutOfMemoryError e) {
      // Another user's process may have written a part of it.
      return unread("the recording can't be read (" + e + ")", true);
    }
  }

  private Outcome unread(String why, boolean hasSamples) {
    if (!files.isEmpty()) {
      String all = String.join(", ", files.stream().map(Path::toString).toList());
      return new Outcome(
          all + (files.size() == 1 ? " is" : " are") + " not written: " + why, hasSamples);
    }
    if (hasSamples) {
      CommandMessages.say("the hottest functions are not shown: %s", why);
    }
    return Outcome.WRITTEN;
  }

  private static void showHottest(SampledRecording recording, String title) {
    TopExport.Options options = new TopExport.Options(ROWS, false, false, TopExport.USUAL_WIDTH);
    StringBuilder table = new StringBuilder();
    try {
      new TopExport(title, options).writeFunctions(recording, table);
    } catch (IOException e) {
      throw new AssertionError(e); // a StringBuilder does not fail
    }
    System.err.print(table);
  }

  private Outcome write(SampledRecording recording, String title, ProgressLine progress) {
    StringJoiner problems = new StringJoiner("; ");
    for (Path file : files) {
      String problem = write(file, recording, title);
      progress.clear();
      if (problem.isEmpty()) {
        names.println(file);
      } else {
        problems.add(problem);
      }
    }
    return new Outcome(problems.toString(), true);
  }

  private static String write(Path file, SampledRecording recording, String title) {
    try {
      Output.to(file, OutputFormat.of(file).export(title), recording);
      return "";
    } catch (FailedException e) {
      return FailedException.worded(e);
    } catch (RecordingException e) {
      return file + " is not written: " + FailedException.worded(e);
    } catch (OutOfMemoryError e) {
      return file + " is not written: not enough memory; -Xmx gives more";
    }
  }
}
