package stackweave.agent.cli.read;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.jfr.export.CollapsedExport;
import stackweave.jfr.export.FrameNames;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/**
 * The command {@code collapsed REC}: writes stacks in the collapsed format of flame graph tools.
 */
@Command(
    name = "collapsed",
    description = {
      "Stacks as text, a line for each: frames from the thread's first to the innermost with ';'"
          + " between, a space, the number of samples; of wall-clock time the nanoseconds.",
      "A stack that did not reach its thread's first frame starts with [truncated] or [stopped:"
          + " reason].",
      "The options are those of async-profiler's jfrconv. Java names always have dots, which is its"
          + " --dot."
    })
public final class CollapsedCommand implements Callable<Integer> {

  @Mixin private Recording recording;

  @Option(
      names = {"-t", "--threads"},
      description = "Stacks begin with their thread.")
  private boolean threads;

  @Option(
      names = "--total",
      description =
          "Numbers are the nanoseconds of CPU time, or of wall-clock time, that samples stand for.")
  private boolean total;

  @Option(
      names = "--lines",
      description = "Frames have ':line' behind their names where it is known.")
  private boolean lines;

  @Option(
      names = "--bci",
      description =
          "Java frames have '@' and the index of the bytecode behind them; with --lines where the"
              + " line is not known.")
  private boolean bci;

  @Option(names = "--simple", description = "Java classes are without their package.")
  private boolean simple;

  @Mixin private SelectionOptions selection;

  @Override
  public Integer call() throws RecordingException, FailedException {
    Path output = recording.output();
    SampledRecording read = recording.read();
    CollapsedExport.Options options =
        new CollapsedExport.Options(threads, total, new FrameNames(lines, bci, simple));
    Output.to(output, new CollapsedExport(options, selection.in(read)), read);
    return 0;
  }
}
