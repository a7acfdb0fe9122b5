package stackweave.fleet;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.fleet.answer.TableQuery;
import stackweave.jfr.export.flamegraph.FlameGraphExport;

/** {@code spark-submit --class stackweave.fleet.FlameGraph stackweave-fleet.jar OUT -o FILE}. */
@Command(
    name = "spark-submit --class stackweave.fleet.FlameGraph stackweave-fleet.jar",
    description = "A flame graph of chosen samples, one HTML file that needs nothing else.")
public final class FlameGraph extends FleetCommand {
  @Mixin private AnswerOptions answer;

  @Option(
      names = "--where",
      paramLabel = "PREDICATE",
      description =
          "Which samples, in SQL: \"service = 'orders' and version = '2.3.1'\". Default: all.")
  private String where = TableQuery.ALL;

  @Option(names = "--threads", description = "Stacks begin with their group of threads.")
  private boolean threads;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      required = true,
      description = "The page, a file of the driver's machine.")
  private Path output;

  /** Runs it. */
  public static void main(String[] arguments) {
    run(new FlameGraph(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    WholeFile.check(output);
    WholeFile.write(
        output,
        new FlameGraphExport(TableQuery.title(where), threads),
        answer.query(spark("flame graph")).profile(where));
    return 0;
  }
}
