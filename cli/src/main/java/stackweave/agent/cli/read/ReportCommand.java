package stackweave.agent.cli.read;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.Plain;
import stackweave.agent.cli.common.UsageException;
import stackweave.agent.cli.jvm.OwnCommand;
import stackweave.jfr.export.Export;
import stackweave.jfr.export.report.BorderReport;
import stackweave.jfr.export.report.Comparison;
import stackweave.jfr.export.report.Limit;
import stackweave.jfr.export.report.ReportExport;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;

/**
 * The command {@code report REC}: reports where CPU time went; {@code --diff} reports what changed,
 * and fails if that exceeds limits.
 */
@Command(
    name = "report",
    description = {
      "Where the CPU time of a recording went, what its threads waited for if they were sampled"
          + " while waiting, what stands out, how far to trust it, what to do. With --wall or"
          + " --state it has what threads waited for alone, and more of that.",
      "--diff compares two recordings. With --fail-if the exit code is 1 if a share surely grew"
          + " more than a limit: if the whole 95 %% interval of the change is above it. It is 2 if a"
          + " recording can't be read or was cut short."
    })
public final class ReportCommand implements Callable<Integer> {
  private static final int EXCEEDED = 1;

  @Parameters(
      paramLabel = "REC",
      arity = "1..2",
      description = "The recording (.jfr). With --diff two: before and after.")
  private List<Path> files;

  @Mixin private SymbolOptions symbols;

  @Mixin private TimeOptions time;

  @Option(names = "--diff", description = "Compares the second recording with the first.")
  private boolean diff;

  @Option(
      names = "--fail-if",
      paramLabel = "LIMIT",
      converter = LimitConverter.class,
      description =
          "'libfoo.so +5pp': its total share of the CPU time may grow by 5 percentage points;"
              + " 'libfoo.so +5%%': by a twentieth. Functions are named as top --wide shows them.")
  private List<Limit> limits = List.of();

  @Option(names = "--html", description = "An HTML page instead of text of 80 columns.")
  private boolean html;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Default: standard output.")
  private Path output;

  @Override
  public Integer call() throws RecordingException, FailedException {
    if (files.size() != (diff ? 2 : 1)) {
      throw new UsageException(
          diff ? "--diff needs two recordings" : "two recordings are compared with --diff");
    }
    if (!diff && !limits.isEmpty()) {
      throw new UsageException("--fail-if needs --diff");
    }
    Output.mustNotBe(output, "the recording", files.toArray(Path[]::new));
    return diff ? compare() : report();
  }

  private int report() throws RecordingException, FailedException {
    Path file = files.get(0);
    SampleChoice choice = time.choice();
    SampledRecording recording;
    try {
      recording = symbols.open(file, false, choice);
    } catch (RecordingException e) {
      Export<SampledRecording> without = withoutSamples(file, choice, e);
      if (without != null) {
        Output.to(output, without, null);
        return 0;
      }
      recording = symbols.open(file, false, time.ofFile());
    }
    String name = String.valueOf(file.getFileName());
    ReportExport report = new ReportExport(name, OwnCommand.quoted(OwnCommand.file(file)), html);
    if (!choice.isWall() && choice.hasAllStates() && recording.waitingSamples() > 0) {
      report = report.withWaiting(symbols.open(file, false, SampleChoice.WALL));
    }
    Output.to(output, report, recording);
    return 0;
  }

  /**
   * The report on calls, loads and stalls of a recording that the agent took part in, but has no
   * samples of; null for none.
   */
  private Export<SampledRecording> withoutSamples(
      Path file, SampleChoice choice, RecordingException why) throws RecordingException {
    if (!why.isWithoutSamples()) {
      throw why;
    }
    try {
      return choice.isUsual() ? BorderReport.read(file, why.getMessage(), html) : null;
    } catch (IOException e) {
      throw why;
    }
  }

  private int compare() throws RecordingException, FailedException {
    SampledRecording before = comparable(files.get(0));
    SampledRecording after = comparable(files.get(1));
    Recording.mustBeOfOneType(List.of(before, after));
    Comparison comparison = new Comparison(before, after);
    String title = files.get(0) + " and " + files.get(1);
    List<Limit> exceeded = new ArrayList<>();
    Export<SampledRecording> text =
        (recording, out) -> {
          Writer writer = new OutputStreamWriter(out, StandardCharsets.UTF_8);
          exceeded.addAll(comparison.write(title, limits, html, writer));
          writer.flush();
        };
    Output.to(output, text, after);
    for (Limit limit : exceeded) {
      CommandMessages.say("exceeded: " + Plain.line(limit.toString()));
    }
    return exceeded.isEmpty() ? 0 : EXCEEDED;
  }

  /** Opens a recording for limits. One with losses can be compared, but not checked by limits. */
  private SampledRecording comparable(Path file) throws RecordingException, FailedException {
    SampledRecording recording = symbols.open(file, false, time.ofFile());
    if (!limits.isEmpty() && !recording.isWhole()) {
      throw new RecordingException(
          file + ": " + recording.losses().get(0) + "; --fail-if needs whole recordings");
    }
    return Recording.said(file, recording);
  }

  private static final class LimitConverter implements ITypeConverter<Limit> {
    @Override
    public Limit convert(String text) {
      try {
        return Limit.parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(FailedException.worded(e));
      }
    }
  }
}
