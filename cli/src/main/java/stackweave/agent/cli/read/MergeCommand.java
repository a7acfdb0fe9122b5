package stackweave.agent.cli.read;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.ProgressLine;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.weave.MergeOptions;
import stackweave.jfr.weave.MergeReport;
import stackweave.jfr.weave.RecordingMerge;

/**
 * The command {@code merge REC…}: writes one recording with the samples as JFR's own events, which
 * other tools read.
 */
@Command(
    name = "merge",
    description = {
      "One recording of one or many, with the samples as jdk.ExecutionSample events: JDK Mission"
          + " Control, jfr view, IDEs and converters show their stacks.",
      "The recordings themselves stay as they are. What is in several of them is taken once."
    })
public final class MergeCommand implements Callable<Integer> {
  /** The states that samples may be given. */
  private enum State {
    RUNNABLE,
    DEFAULT
  }

  @Parameters(paramLabel = "REC", arity = "1..*", description = "The recordings (.jfr).")
  private List<Path> recordings;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description =
          "Default: the first recording's name with -merged.jfr, beside it. - is standard output.")
  private Path output;

  @Option(names = "--only", description = "Leaves out all other events.")
  private boolean only;

  @Option(
      names = "--keep-jdk-samples",
      description =
          "JFR's own ExecutionSample and NativeMethodSample stay. They are left out while samples"
              + " were taken, else most CPU time is there twice.")
  private boolean keepsJdkSamples;

  @Option(
      names = "--state",
      paramLabel = "STATE",
      description = "runnable (default), or default: what jfr-converter --cpu takes for CPU time.")
  private State state = State.RUNNABLE;

  @Option(
      names = "--by-weight",
      description =
          "A sample that stands for more CPU time than others is there more often, rounded at"
              + " random.")
  private boolean byWeight;

  @Override
  public Integer call() throws RecordingException, FailedException {
    Path file = output == null ? Recording.beside(recordings.get(0), "-merged.jfr") : output;
    Output.mustNotBe(file, "one of the recordings", recordings.toArray(Path[]::new));
    Output.mustBeWritable(file);
    MergeOptions options =
        new MergeOptions(only, keepsJdkSamples, state == State.DEFAULT, byWeight);
    MergeReport report = merge(file, options);
    for (String note : report.notes()) {
      CommandMessages.say(note);
    }
    if (byWeight && report.woven() > 0) {
      CommandMessages.say(
          "--by-weight changes nothing of what was woven before: record with --no-weave,"
              + " or without weave=on, and merge that");
    }
    if (!Output.isStandardOutput(file)) {
      System.out.println(file + ": " + text(report));
    }
    return 0;
  }

  private MergeReport merge(Path file, MergeOptions options)
      throws RecordingException, FailedException {
    try (ProgressLine progress = ProgressLine.begin()) {
      RecordingMerge merge = RecordingMerge.of(recordings, options, progress);
      for (String loss : merge.losses()) {
        CommandMessages.say(loss);
      }
      AtomicReference<MergeReport> report = new AtomicReference<>();
      Output.privately(file, false, out -> report.set(merge.writeTo(out)));
      return report.get();
    }
  }

  private static String text(MergeReport report) {
    StringBuilder text = new StringBuilder();
    if (report.samples() > 0) {
      text.append(String.format(Locale.ROOT, "%,d samples", report.samples()));
      if (report.events() != report.samples()) {
        text.append(String.format(Locale.ROOT, " as %,d events", report.events()));
      }
      text.append(report.woven() > 0 ? ", and those that were woven before," : "");
    } else {
      text.append(
          report.woven() > 0 ? "all samples were woven before," : "no samples of Stackweave,");
    }
    text.append(" of ").append(report.jvms()).append(report.jvms() == 1 ? " JVM" : " JVMs");
    if (report.jdkSamples() > 0) {
      text.append(String.format(Locale.ROOT, "; %,d of JFR's own left out", report.jdkSamples()));
    }
    if (report.duplicates() > 0) {
      text.append(
          String.format(
              Locale.ROOT,
              "; of JFR's chunks %,d were in several inputs, and are taken once",
              report.duplicates()));
    }
    return text.toString();
  }
}
