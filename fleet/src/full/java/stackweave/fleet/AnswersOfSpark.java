package stackweave.fleet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import stackweave.fleet.answer.SqlViews;
import stackweave.fleet.store.FleetException;
import stackweave.fleet.store.TableDirectory;

/** Writes the tables of {@link SyntheticFleet}, and what Spark SQL answers by the views. */
@Command(name = "answers")
final class AnswersOfSpark extends FleetCommand {
  /** The views of views.sql, in its order. */
  static final List<String> VIEWS =
      List.of(
          "service_days",
          "hottest_functions",
          "libraries",
          "regressions",
          "hosts_that_differ",
          "growth",
          "missing_symbols",
          "waiting",
          "cores_by_minute",
          "top_stacks",
          "events_by_function",
          "coverage");

  /** Below the directory: the tables, those without samples, and what Spark says of them. */
  static final String TABLES = "tables";

  static final String REJECTS = "rejects";
  static final String ANSWERS = "answers";

  /** Behind a view's name: Spark's plan of a query with {@link SyntheticFleet#predicate}. */
  static final String PLAN = ".plan";

  @Parameters(index = "0")
  private Path directory;

  @Override
  public Integer call() throws Exception {
    SparkSession spark = spark("answers");
    new SyntheticFleet().write(spark, directory.resolve(TABLES).toString());
    SyntheticFleet.writeRejectsAlone(spark, directory.resolve(REJECTS).toString());
    define(spark, TABLES);
    for (String view : VIEWS) {
      spark.table(view).coalesce(1).write().parquet(answer(view).toString());
      Files.writeString(
          answer(view + PLAN),
          spark
              .sql("EXPLAIN FORMATTED SELECT * FROM " + view + predicate(spark, view))
              .head()
              .getString(0));
    }
    spark.table("frames").coalesce(1).write().parquet(answer("frames").toString());
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW chosen AS SELECT * FROM samples WHERE host = 'h6'");
    spark.table("libraries").coalesce(1).write().parquet(answer("libraries_of_h6").toString());
    define(spark, REJECTS);
    spark.table("growth").coalesce(1).write().parquet(answer("nothing").toString());
    return 0;
  }

  private void define(SparkSession spark, String tables) throws IOException, FleetException {
    SqlViews.define(
        spark,
        TableDirectory.open(
            directory.resolve(tables).toString(), spark.sparkContext().hadoopConfiguration()));
  }

  private Path answer(String name) {
    return directory.resolve(ANSWERS).resolve(name);
  }

  /** What chooses one service, and one day if the view has days. */
  private static String predicate(SparkSession spark, String view) {
    return SyntheticFleet.predicate(List.of(spark.table(view).columns()).contains("date"));
  }
}
