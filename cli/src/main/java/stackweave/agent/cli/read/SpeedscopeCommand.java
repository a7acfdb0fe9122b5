package stackweave.agent.cli.read;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.FailedException;
import stackweave.jfr.export.SpeedscopeExport;
import stackweave.jfr.read.RecordingException;

/** The command {@code speedscope REC}: writes a file for speedscope. */
@Command(
    name = "speedscope",
    description = {
      "A file for speedscope.app, which opens it in the browser and sends it nowhere: each thread's"
          + " samples in the order of time."
    })
public final class SpeedscopeCommand implements Callable<Integer> {

  @Mixin private Recording recording;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description =
          "Default: the recording's name with .speedscope.json, beside it. - is standard output.")
  private Path output;

  @Mixin private SelectionOptions selection;

  @Override
  public Integer call() throws RecordingException, FailedException {
    recording.export(
        output,
        ".speedscope.json",
        read -> new SpeedscopeExport(recording.title(), selection.in(read)));
    return 0;
  }
}
