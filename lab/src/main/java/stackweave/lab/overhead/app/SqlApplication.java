package stackweave.lab.overhead.app;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import javax.sql.DataSource;
import org.apache.calcite.adapter.jdbc.JdbcSchema;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.schema.SchemaPlus;

/**
 * A SQL engine: Calcite plans each query and compiles it to a class of its own, over tables that H2
 * holds. The queries differ, so that the application stays new.
 */
public final class SqlApplication implements Application {
  private static final int ITEMS = 2_000;
  private static final int SALES = 10_000;
  private static final String[] SUMS = {"SUM", "AVG", "MIN", "MAX", "COUNT"};
  private static final String[] COLUMNS = {"price", "weight", "stock"};

  @Override
  public void work(int worker, Units units) throws SQLException {
    String url = "jdbc:h2:mem:shop" + worker + ";DB_CLOSE_DELAY=-1";
    Random random = new Random(worker);
    fill(url, random);
    try (Connection connection = DriverManager.getConnection("jdbc:calcite:lex=JAVA")) {
      SchemaPlus root = connection.unwrap(CalciteConnection.class).getRootSchema();
      DataSource tables = JdbcSchema.dataSource(url, "org.h2.Driver", "sa", "");
      root.add("shop", JdbcSchema.create(root, "shop", tables, null, "PUBLIC"));
      while (units.next()) {
        try (Statement statement = connection.createStatement();
            ResultSet rows = statement.executeQuery(query(random))) {
          while (rows.next()) {
            rows.getObject(1);
          }
        }
      }
    }
  }

  private static void fill(String url, Random random) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url, "sa", "")) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(
            "create table \"item\" (\"id\" int primary key, \"kind\" varchar(20), \"price\" int,"
                + " \"weight\" double, \"stock\" int)");
        statement.execute(
            "create table \"sale\" (\"item\" int, \"sold\" int, \"number\" int, \"shop\" int)");
      }
      try (PreparedStatement insert =
          connection.prepareStatement("insert into \"item\" values (?, ?, ?, ?, ?)")) {
        for (int i = 0; i < ITEMS; i++) {
          insert.setInt(1, i);
          insert.setString(2, "kind" + random.nextInt(50));
          insert.setInt(3, random.nextInt(1_000));
          insert.setDouble(4, random.nextDouble());
          insert.setInt(5, random.nextInt(100));
          insert.executeUpdate();
        }
      }
      try (PreparedStatement insert =
          connection.prepareStatement("insert into \"sale\" values (?, ?, ?, ?)")) {
        for (int i = 0; i < SALES; i++) {
          insert.setInt(1, random.nextInt(ITEMS));
          insert.setInt(2, random.nextInt(365));
          insert.setInt(3, random.nextInt(9) + 1);
          insert.setInt(4, random.nextInt(20));
          insert.executeUpdate();
        }
      }
    }
  }

  private static String query(Random random) {
    String sum = SUMS[random.nextInt(SUMS.length)];
    String column = COLUMNS[random.nextInt(COLUMNS.length)];
    int day = random.nextInt(365);
    return switch (random.nextInt(5)) {
      case 0 ->
          ("select i.kind, %s(i.%s) as v, count(*) from shop.item i join shop.sale s"
                  + " on i.id = s.item where s.sold > %d group by i.kind order by v desc limit %d")
              .formatted(sum, column, day, random.nextInt(20) + 1);
      case 1 ->
          ("select s.shop, upper(i.kind) as k, sum(s.number * i.price) from shop.sale s, shop.item i"
                  + " where s.item = i.id and i.%s < %d and i.kind like '%%%d' group by s.shop,"
                  + " upper(i.kind) having count(*) > 1")
              .formatted(column, random.nextInt(500), random.nextInt(10));
      case 2 ->
          ("with best as (select item, sum(number) as n from shop.sale where sold between %d and %d"
                  + " group by item) select i.id, b.n, case when i.%s > 10 then 'a' else 'b' end,"
                  + " rank() over (partition by i.kind order by b.n) from best b"
                  + " join shop.item i on b.item = i.id")
              .formatted(day / 2, day, column);
      case 3 ->
          ("select count(*) from shop.item where %s > (select %s(%s) from shop.item"
                  + " where stock < %d) and id in (select item from shop.sale where shop = %d)")
              .formatted(column, "AVG", column, random.nextInt(100), random.nextInt(20));
      default ->
          ("select substring(kind, 1, %d) as p, %s(%s) from shop.item where mod(id, %d) = 1"
                  + " group by substring(kind, 1, %<d) union all select 'all', %s(%s) from shop.item")
              .replace("%<d", "" + 5)
              .formatted(5, sum, column, random.nextInt(7) + 2, sum, column);
    };
  }
}
