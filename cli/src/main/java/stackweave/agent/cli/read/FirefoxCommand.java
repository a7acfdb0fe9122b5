package stackweave.agent.cli.read;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.FailedException;
import stackweave.jfr.export.FirefoxExport;
import stackweave.jfr.read.RecordingException;

/** The command {@code firefox REC}: writes a file for the Firefox Profiler. */
@Command(
    name = "firefox",
    description = {
      "A file for profiler.firefox.com, which opens it in the browser and sends it nowhere unless"
          + " asked to: each thread's samples with their times.",
      "Processed profile format, version " + FirefoxExport.VERSION + "."
    })
public final class FirefoxCommand implements Callable<Integer> {

  @Mixin private Recording recording;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description =
          "Default: the recording's name with .firefox.json, beside it. - is standard output.")
  private Path output;

  @Mixin private SelectionOptions selection;

  @Override
  public Integer call() throws RecordingException, FailedException {
    recording.export(
        output, ".firefox.json", read -> new FirefoxExport(recording.title(), selection.in(read)));
    return 0;
  }
}
