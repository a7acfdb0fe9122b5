package stackweave.agent.cli.read;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.FailedException;
import stackweave.jfr.export.FlameGraphExport;
import stackweave.jfr.read.RecordingException;

/** The command {@code flamegraph REC}: writes a flame graph as one HTML file. */
@Command(
    name = "flamegraph",
    description = {
      "A flame graph, one HTML file that needs nothing else.",
      "In the page a click zooms, / searches, Enter goes to the next match; the button Hot frames"
          + " opens a table of the functions."
    },
    customSynopsis = "java -jar stackweave-agent.jar flamegraph REC [-o FILE] [--threads]")
public final class FlameGraphCommand implements Callable<Integer> {

  @Mixin private Recording recording;

  @Option(names = "--threads", description = "Stacks begin with their thread.")
  private boolean threads;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Default: the recording's name with .html, beside it. - is standard output.")
  private Path output;

  @Override
  public Integer call() throws RecordingException, FailedException {
    recording.export(output, ".html", read -> new FlameGraphExport(recording.title(), threads));
    return 0;
  }
}
