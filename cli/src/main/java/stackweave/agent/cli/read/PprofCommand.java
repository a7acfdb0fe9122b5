package stackweave.agent.cli.read;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.FailedException;
import stackweave.jfr.export.PprofExport;
import stackweave.jfr.read.RecordingException;

/** The command {@code pprof REC}: writes a profile for pprof. */
@Command(
    name = "pprof",
    description = {
      "A profile for pprof and what reads its format: gzipped protobuf with samples, CPU or wall time, build"
          + " ids and addresses.",
      "Labels are thread, thread_id, state and kind, the kind of code of the innermost frame:"
          + " go tool pprof -top -tagfocus=thread=main rec.pb.gz"
    })
public final class PprofCommand implements Callable<Integer> {

  @Mixin private Recording recording;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Default: the recording's name with .pb.gz, beside it. - is standard output.")
  private Path output;

  @Mixin private SelectionOptions selection;

  @Override
  public Integer call() throws RecordingException, FailedException {
    recording.export(output, ".pb.gz", read -> new PprofExport(selection.in(read)));
    return 0;
  }
}
