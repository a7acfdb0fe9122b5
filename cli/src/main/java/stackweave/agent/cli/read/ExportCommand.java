package stackweave.agent.cli.read;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import stackweave.agent.cli.common.FailedException;
import stackweave.jfr.export.Export;
import stackweave.jfr.export.FirefoxExport;
import stackweave.jfr.export.PprofExport;
import stackweave.jfr.export.Selection;
import stackweave.jfr.export.SpeedscopeExport;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/** Commands that write the samples of a recording to a file for another program. */
public abstract class ExportCommand implements Callable<Integer> {
  private final String ending;

  @Mixin Recording recording;

  @Mixin private SelectionOptions selection;

  private ExportCommand(String ending) {
    this.ending = ending;
  }

  /** The export of the selected samples. */
  abstract Export<SampledRecording> of(Selection selected);

  @Override
  public final Integer call() throws RecordingException, FailedException {
    Path output = recording.output(ending);
    SampledRecording read = recording.read();
    recording.write(of(selection.in(read)), read, output);
    return 0;
  }

  /** The command {@code pprof REC}. */
  @Command(
      name = "pprof",
      description = {
        "A profile for pprof and what reads its format: gzipped protobuf with samples, CPU or wall"
            + " time, build ids and addresses; beside the recording, with .pb.gz.",
        "Labels are thread, thread_id, state and kind, the kind of code of the innermost frame:"
            + " go tool pprof -top -tagfocus=thread=main rec.pb.gz"
      })
  public static final class Pprof extends ExportCommand {
    Pprof() {
      super(".pb.gz");
    }

    @Override
    Export<SampledRecording> of(Selection selected) {
      return new PprofExport(selected);
    }
  }

  /** The command {@code speedscope REC}. */
  @Command(
      name = "speedscope",
      description =
          "A file for speedscope.app, which opens it in the browser and sends it nowhere: each"
              + " thread's samples in the order of time; beside the recording, with"
              + " .speedscope.json.")
  public static final class Speedscope extends ExportCommand {
    Speedscope() {
      super(".speedscope.json");
    }

    @Override
    Export<SampledRecording> of(Selection selected) {
      return new SpeedscopeExport(recording.title(), selected);
    }
  }

  /** The command {@code firefox REC}. */
  @Command(
      name = "firefox",
      description = {
        "A file for profiler.firefox.com, which opens it in the browser and sends it nowhere unless"
            + " asked to: each thread's samples with their times; beside the recording, with"
            + " .firefox.json.",
        "Processed profile format, version " + FirefoxExport.VERSION + "."
      })
  public static final class Firefox extends ExportCommand {
    Firefox() {
      super(".firefox.json");
    }

    @Override
    Export<SampledRecording> of(Selection selected) {
      return new FirefoxExport(recording.title(), selected);
    }
  }
}
