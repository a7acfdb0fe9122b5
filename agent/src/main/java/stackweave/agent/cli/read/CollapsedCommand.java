package stackweave.agent.cli.read;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.jfr.export.CollapsedExport;
import stackweave.jfr.read.RecordingException;

/**
 * The command {@code collapsed REC}: writes stacks in the collapsed format of flame graph tools.
 */
@Command(
    name = "collapsed",
    description = {
      "Stacks as text, a line for each: frames from the thread's first to the innermost with ';'"
          + " between, a space, the number of samples.",
      "A stack that did not reach its thread's first frame starts with [truncated] or [stopped:"
          + " reason]."
    },
    customSynopsis = "java -jar stackweave-agent.jar collapsed REC [-o FILE] [--threads]")
public final class CollapsedCommand implements Callable<Integer> {

  @Mixin private Recording recording;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Default: standard output.")
  private Path output;

  @Override
  public Integer call() throws RecordingException, FailedException {
    if (!Output.isStandardOutput(output)) {
      recording.mustNotBe(output);
    }
    Output.to(output, new CollapsedExport(recording.threads()), recording.read());
    return 0;
  }
}
