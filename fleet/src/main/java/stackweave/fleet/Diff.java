package stackweave.fleet;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.fleet.answer.TableQuery;
import stackweave.jfr.export.flamegraph.FlameGraphExport;
import stackweave.jfr.export.report.Comparison;
import stackweave.jfr.read.Profile;

/** {@code spark-submit --class stackweave.fleet.Diff stackweave-fleet.jar OUT ...}. */
@Command(
    name = "spark-submit --class stackweave.fleet.Diff stackweave-fleet.jar",
    description =
        "What changed between two choices of samples by more than chance: functions and libraries,"
            + " each by its share of its own samples.")
public final class Diff extends FleetCommand {
  @Mixin private AnswerOptions answer;

  @Option(
      names = "--before",
      paramLabel = "PREDICATE",
      required = true,
      description = "Which samples, in SQL: \"service = 'orders' and version = '2.3.0'\".")
  private String before;

  @Option(
      names = "--after",
      paramLabel = "PREDICATE",
      required = true,
      description = "Which samples they are compared with.")
  private String after;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Also writes the flame graph of the difference, on the driver's machine.")
  private Path output;

  /** Runs it. */
  public static void main(String[] arguments) {
    run(new Diff(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    if (output != null) {
      WholeFile.check(output);
    }
    TableQuery query = answer.query(spark("diff"));
    Profile then = query.profile(before);
    Profile now = query.profile(after);
    StringBuilder text = new StringBuilder();
    new Comparison(then, now).write(before + " and " + after, List.of(), false, text);
    if (output != null) {
      WholeFile.write(output, new FlameGraphExport(after, false).comparedWith(before, then), now);
    }
    System.out.print(text);
    return 0;
  }
}
