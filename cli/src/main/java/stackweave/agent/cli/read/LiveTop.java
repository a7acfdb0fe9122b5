package stackweave.agent.cli.read;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Plain;
import stackweave.agent.cli.live.LiveRounds;
import stackweave.jfr.export.TopExport;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.linux.Descriptor;

/**
 * Prints the tables of {@code top} for each round of a running JVM: on a terminal in place of the
 * previous ones, else below them. Not thread-safe.
 */
final class LiveTop implements LiveRounds.Taker {
  /** Moves to the upper left corner and erases all behind it (ECMA-48, CUP and ED). */
  private static final String CLEAR = "\033[H\033[2J";

  private final String title;
  private final TopExport.Options options;
  private final SymbolOptions symbols;
  private final SampleChoice choice;
  private final boolean isTerminal = System.console() != null;
  private boolean isFirst = true;

  /** Not System.out, which hides errors. */
  private final OutputStream out = new FileOutputStream(FileDescriptor.out);

  LiveTop(String title, TopExport.Options options, SymbolOptions symbols, SampleChoice choice) {
    this.choice = choice;
    this.title = title;
    this.options = options;
    this.symbols = symbols;
  }

  @Override
  public void take(Descriptor file) throws FailedException {
    try (file) {
      SampledRecording recording = symbols.open(file.path(), false, choice);
      begin();
      new TopExport(title, options).write(recording, out);
    } catch (IOException e) {
      throw new FailedException("can't write to standard output: " + FailedException.reason(e));
    } catch (RecordingException e) {
      lose(e.isWithoutSamples() ? e.whyWithoutSamples() : FailedException.worded(e));
    }
  }

  @Override
  public void lose(String why) {
    begin();
    System.out.println(title + ": " + Plain.line(why));
  }

  private void begin() {
    if (isTerminal) {
      System.out.print(CLEAR);
      System.out.flush();
    } else if (!isFirst) {
      System.out.println();
    }
    isFirst = false;
  }
}
