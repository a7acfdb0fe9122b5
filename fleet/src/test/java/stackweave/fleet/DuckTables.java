package stackweave.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The tables as DuckDB reads them, by duckdb.sql, with the views of views.sql: a reader that this
 * project did not write.
 */
final class DuckTables implements AutoCloseable {
  private final Connection connection;

  DuckTables(Path directory) throws SQLException, IOException {
    connection = DriverManager.getConnection("jdbc:duckdb:");
    run("SET VARIABLE fleet = '" + directory + "'");
    runFile("duckdb.sql");
    runFile("views.sql");
  }

  private void runFile(String name) throws SQLException, IOException {
    try (InputStream in = Ingest.class.getResourceAsStream(name)) {
      for (String statement :
          new String(in.readAllBytes(), StandardCharsets.UTF_8).split(";\\s*\n")) {
        run(statement);
      }
    }
  }

  /** Runs a statement. */
  void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** All rows of a query, as texts. */
  List<List<String>> rows(String sql) throws SQLException {
    List<List<String>> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= columns; i++) {
          row.add(result.getString(i));
        }
        rows.add(row);
      }
    }
    return rows;
  }

  /** All rows of all tables, in an order of their own, without names and times of runs. */
  Map<String, List<String>> all() throws SQLException {
    Map<String, List<String>> all = new TreeMap<>();
    for (String table : List.of("samples", "stacks", "sources", "rejects")) {
      String but = table.matches("sources|rejects") ? "batch, read_at, modified" : "batch";
      all.put(
          table,
          rows("SELECT * EXCLUDE (" + but + ") FROM " + table).stream()
              .map(List::toString)
              .sorted()
              .toList());
    }
    return all;
  }

  /**
   * Asserts that the tables fit together: all samples of all recordings, each once, with their
   * stacks.
   */
  void assertWhole() throws SQLException {
    for (String wrong :
        List.of(
            "SELECT source FROM (SELECT source, sum(count) AS n FROM samples GROUP BY source) s"
                + " FULL JOIN sources USING (source) WHERE n IS DISTINCT FROM sources.samples",
            "SELECT source FROM sources GROUP BY source HAVING count(*) > 1",
            "SELECT stack_id FROM samples ANTI JOIN stacks USING (stack_id)",
            "SELECT stack_id FROM stacks GROUP BY stack_id HAVING count(*) > 1")) {
      assertEquals(List.of(), rows(wrong), wrong);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
