package stackweave.lab.zoo.app;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import stackweave.samples.work.Round;

/** A SQL engine in the process: inserts, joins, groups, sorts. */
final class SqlRound implements Round {
  private static final int ROWS = 2_000;

  private final String url;
  private final String setting;
  private Connection connection;

  SqlRound(String url, String setting) {
    this.url = url;
    this.setting = setting;
  }

  @Override
  public long run() {
    try {
      if (connection == null) {
        connection = DriverManager.getConnection(url);
        try (Statement statement = connection.createStatement()) {
          statement.execute(setting);
          statement.execute(
              "CREATE TABLE item (id INTEGER, kind INTEGER, price INTEGER, name VARCHAR)");
        }
        fill();
      }
      return query(
              "SELECT sum(a.price * b.kind) FROM item a JOIN item b ON a.id = b.kind WHERE a.price < 5000")
          + query(
              "SELECT count(*) FROM (SELECT name, max(price) FROM item GROUP BY name ORDER BY 2) x")
          + query("SELECT count(*) FROM item WHERE name LIKE '%77%'");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void fill() throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO item VALUES (?, ?, ?, ?)")) {
      for (int i = 0; i < ROWS; i++) {
        insert.setInt(1, i);
        insert.setInt(2, i * 31 % 401);
        insert.setInt(3, i * 7919 % 10_007);
        insert.setString(4, "name" + i % 499);
        insert.addBatch();
      }
      insert.executeBatch();
    }
    connection.commit();
    connection.setAutoCommit(true);
  }

  private long query(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getLong(1);
    }
  }
}
