package stackweave.fleet.answer;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.posexplode;
import static org.apache.spark.sql.functions.size;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.SparkSession;
import stackweave.fleet.store.FleetException;
import stackweave.fleet.store.Manifest;
import stackweave.fleet.store.Table;
import stackweave.fleet.store.TableDirectory;

/** The tables as Spark SQL sees them: a view of each, and those of views.sql. Stateless. */
public final class SqlViews {
  private static final String VIEWS = "/stackweave/fleet/views.sql";

  private SqlViews() {}

  /**
   * Defines the views in a session, of what a directory has now.
   *
   * @throws FleetException if there are no tables; one line for users
   */
  public static void define(SparkSession spark, TableDirectory directory)
      throws IOException, FleetException {
    Manifest manifest = directory.existing();
    for (Table table : Table.values()) {
      directory.read(spark, manifest, table).createOrReplaceTempView(table.label());
    }
    directory
        .read(spark, manifest, Table.STACKS)
        .select(col("stack_id"), size(col("frames")).as("depth"), posexplode(col("frames")))
        .selectExpr("stack_id", "pos as position", "depth - 1 - pos as depth_from_leaf", "col.*")
        .createOrReplaceTempView("frames");
    for (String statement : text().split(";\\s*\n")) {
      if (!statement.isBlank()) {
        spark.sql(statement);
      }
    }
  }

  private static String text() throws IOException {
    try (InputStream in = SqlViews.class.getResourceAsStream(VIEWS)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
