package stackweave.agent.cli.read;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.UsageException;
import stackweave.jfr.export.Export;
import stackweave.jfr.export.report.BorderReport;
import stackweave.jfr.export.report.LibrariesExport;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/** The command {@code libraries REC}: prints the native libraries of a recording. */
@Command(
    name = "libraries",
    description =
        "The native libraries of a recording: their shares, files, build ids, unwind tables and"
            + " names, which stacks end in them, and what to install or build for better ones.")
public final class LibrariesCommand implements Callable<Integer> {

  @Mixin private Recording recording;

  @Option(
      names = "-n",
      paramLabel = "ROWS",
      description = "At most so many libraries. Default: all.")
  private Integer rows;

  @Option(names = "--html", description = "An HTML page instead of text of 80 columns.")
  private boolean html;

  @Override
  public Integer call() throws RecordingException, FailedException {
    if (rows != null && rows < 1) {
      throw new UsageException("-n must be 1 or more, not " + rows);
    }
    Path output = recording.output();
    int most = rows == null ? 0 : rows;
    SampledRecording read;
    try {
      read = recording.readOfAgent();
    } catch (RecordingException e) {
      return withoutSamples(output, most, e);
    }
    Output.to(output, new LibrariesExport(recording.title(), most, html), read);
    return 0;
  }

  /** Prints loads alone, which are events of their own. */
  private int withoutSamples(Path output, int most, RecordingException why)
      throws RecordingException, FailedException {
    Export<SampledRecording> loads = null;
    if (why.isWithoutSamples() && recording.hasAll()) {
      try {
        loads = BorderReport.readLoads(recording.file(), why.getMessage(), html, most);
      } catch (IOException e) {
        throw why;
      }
    }
    if (loads == null) {
      throw why;
    }
    Output.to(output, loads, null);
    return 0;
  }
}
