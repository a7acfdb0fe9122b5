package stackweave.fleet.answer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import stackweave.fleet.store.FleetException;
import stackweave.fleet.store.Manifest;
import stackweave.fleet.store.Table;
import stackweave.fleet.store.TableDirectory;

/**
 * The tables as Spark SQL sees them: a view of each, those that spark.sql derives from them, and
 * the answers of views.sql, which is the same for all engines. Stateless.
 */
public final class SqlViews {
  private static final List<String> FILES =
      List.of("/stackweave/fleet/spark.sql", "/stackweave/fleet/views.sql");

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
    for (String file : FILES) {
      // Statements end with a semicolon at a line's end, and nothing else does.
      for (String statement : text(file).split(";\\s*\n")) {
        if (!statement.isBlank()) {
          spark.sql(statement);
        }
      }
    }
  }

  private static String text(String file) throws IOException {
    try (InputStream in = SqlViews.class.getResourceAsStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
