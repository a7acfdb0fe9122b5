package stackweave.agent.cli.read;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.jfr.export.FlameGraphExport;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

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

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Default: the recording's name with .html, beside it. - is standard output.")
  private Path output;

  @Override
  public Integer call() throws RecordingException, FailedException {
    Path file = output == null ? beside(recording.file()) : output;
    if (!Output.isStandardOutput(file)) {
      recording.mustNotBe(file);
    }
    SampledRecording read = recording.read();
    String title = recording.file().getFileName().toString();
    Output.to(file, new FlameGraphExport(title, recording.threads()), read);
    if (!Output.isStandardOutput(file)) {
      System.out.println(file);
    }
    return 0;
  }

  private static Path beside(Path recording) {
    String name = String.valueOf(recording.getFileName());
    int dot = name.lastIndexOf('.');
    return recording.resolveSibling((dot > 0 ? name.substring(0, dot) : name) + ".html");
  }
}
