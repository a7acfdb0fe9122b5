package stackweave.fleet;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.fleet.answer.TableQuery;
import stackweave.fleet.store.FleetException;
import stackweave.jfr.export.TopExport;

/** {@code spark-submit --class stackweave.fleet.Top stackweave-fleet.jar OUT}. */
@Command(
    name = "spark-submit --class stackweave.fleet.Top stackweave-fleet.jar",
    description = "Functions, libraries and thread groups of chosen samples, by share.")
public final class Top extends FleetCommand {
  private static final int WIDEST = 10_000;

  @Mixin private AnswerOptions answer;

  @Option(
      names = "--where",
      paramLabel = "PREDICATE",
      description =
          "Which samples, in SQL: \"service = 'orders' and version = '2.3.1'\". Default: all.")
  private String where = TableQuery.ALL;

  @Option(
      names = {"-n", "--rows"},
      paramLabel = "ROWS",
      description = "Most rows of each table. Default: 20 functions, 10 libraries, 10 threads.")
  private Integer rows;

  @Option(names = "--total", description = "Sorts by total instead of own share.")
  private boolean byTotal;

  @Option(names = "--wide", description = "Names are not shortened to 80 columns.")
  private boolean wide;

  /** Runs it. */
  public static void main(String[] arguments) {
    run(new Top(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    if (rows != null && rows < 1) {
      throw new FleetException("-n must be 1 or more, not %d", rows);
    }
    int width = wide ? WIDEST : TopExport.USUAL_WIDTH;
    StringBuilder text = new StringBuilder();
    new TopExport(
            TableQuery.title(where),
            new TopExport.Options(rows == null ? 0 : rows, byTotal, false, width))
        .writeText(answer.query(spark("top")).profile(where), text);
    System.out.print(text);
    return 0;
  }
}
