package stackweave.fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.DescribeRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.ParsedStatement;
import org.apache.spark.sql.catalyst.plans.logical.ShowColumns;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import stackweave.fleet.answer.SqlViews;
import stackweave.fleet.store.FleetException;
import stackweave.fleet.store.TableDirectory;
import stackweave.jfr.export.Names;

/** {@code spark-submit --class stackweave.fleet.Query stackweave-fleet.jar OUT SQL}. */
@Command(
    name = "spark-submit --class stackweave.fleet.Query stackweave-fleet.jar",
    description = "Runs a query of SQL on the tables and views.")
public final class Query extends FleetCommand {
  @Parameters(index = "0", paramLabel = "OUT", description = "The directory of the tables.")
  private String directory;

  @Parameters(index = "1", paramLabel = "SQL", description = "The query.")
  private String sql;

  @Option(
      names = {"-n", "--rows"},
      paramLabel = "ROWS",
      defaultValue = "100",
      description = "Most rows that are printed. Default: ${DEFAULT-VALUE}.")
  private int rows;

  /** Runs it. */
  public static void main(String[] arguments) {
    run(new Query(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    if (rows < 1) {
      throw new FleetException("-n must be 1 or more, not %d", rows);
    }
    SparkSession spark = spark("query");
    SqlViews.define(
        spark, TableDirectory.open(directory, spark.sparkContext().hadoopConfiguration()));
    Dataset<Row> result;
    try {
      mustBeQuery(spark);
      result = spark.sql(sql);
    } catch (Exception e) { // its methods do not declare what they throw
      if (e instanceof AnalysisException) {
        throw new FleetException(FleetException.firstLine(e));
      }
      throw e;
    }
    print(result);
    return 0;
  }

  /** A command would be done at once, and have no effect on what others see, or a wrong one. */
  private void mustBeQuery(SparkSession spark) throws ParseException, FleetException {
    LogicalPlan plan =
        ((org.apache.spark.sql.classic.SparkSession) spark)
            .sessionState()
            .sqlParser()
            .parsePlan(sql);
    boolean shows = plan instanceof DescribeRelation || plan instanceof ShowColumns;
    if (!shows
        && (plan instanceof org.apache.spark.sql.catalyst.plans.logical.Command
            || plan instanceof ParsedStatement)) {
      throw new FleetException("Query answers questions (SELECT, WITH, DESCRIBE), not: %s", sql);
    }
  }

  /** Prints columns that are as wide as their widest value. */
  private void print(Dataset<Row> result) {
    List<List<String>> lines = new ArrayList<>();
    lines.add(List.of(result.columns()));
    List<Row> found = result.limit((int) Math.min(rows + 1L, Integer.MAX_VALUE)).collectAsList();
    for (Row row : found.subList(0, Math.min(rows, found.size()))) {
      List<String> line = new ArrayList<>();
      for (int i = 0; i < row.size(); i++) {
        line.add(Names.printable(String.valueOf(row.get(i))));
      }
      lines.add(line);
    }
    int[] widths = new int[result.columns().length];
    for (List<String> line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    for (List<String> line : lines) {
      List<String> padded = new ArrayList<>();
      for (int i = 0; i < widths.length; i++) {
        padded.add(line.get(i) + " ".repeat(widths[i] - line.get(i).length()));
      }
      System.out.println(padded.stream().collect(Collectors.joining("  ")).stripTrailing());
    }
    if (found.size() > rows) {
      System.err.printf("stackweave-fleet: these are %,d rows of more: -n shows more%n", rows);
    }
  }
}
