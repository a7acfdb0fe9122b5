package stackweave.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.Jdk;

/** The views of views.sql say the same in Spark SQL and in DuckDB, and what loops say. */
class ViewsIT {
  /** Part of a number by which engines may differ, as they add up in different orders. */
  private static final double ENGINES_DIFFER = 1e-9;

  /** Part of a number: the views' quantile of the normal distribution has seven digits. */
  private static final double DIGITS = 1e-6;

  /** What is left of 0 where large numbers are subtracted. */
  private static final double NOISE = 1e-9;

  private final SyntheticFleet fleet = new SyntheticFleet();
  @TempDir private Path directory;

  @Test
  void enginesAgreeAndAreRight() throws Exception {
    // Spark compiles each query, which takes longer here than to interpret it.
    new FleetJvm(Jdk.all().get(0), directory, "local[2]")
        .options(
            "-Dspark.sql.codegen.wholeStage=false", "-Dspark.sql.codegen.factoryMode=NO_CODEGEN")
        .then(AnswersOfSpark.class, directory)
        .run()
        .successfully();
    // A directory whose name would be a pattern, as DuckDB reads it.
    Path tables = directory.resolve("fleet [1] env=prod*?");
    Files.move(directory.resolve(AnswersOfSpark.TABLES), tables);
    try (DuckTables duck = new DuckTables(tables)) {
      for (String view : AnswersOfSpark.VIEWS) {
        assertSame(duck, view, view);
        assertPlanned(view, hasDate(duck, view));
      }
      assertSame(duck, "frames", "frames");
      assertEquals(
          new TreeSet<>(SyntheticFleet.SERVICES),
          new TreeSet<>(texts(duck, "SELECT DISTINCT service FROM samples")));
      assertEquals(List.of("/in/empty.jfr"), texts(duck, "SELECT path FROM rejects"));
      assertRight(duck);
      assertFindsWhatIsPlanted(duck);
      duck.run(
          "CREATE OR REPLACE TEMPORARY VIEW chosen AS SELECT * FROM samples WHERE host = 'h6'");
      assertSame(duck, "libraries", "libraries_of_h6");
    }
    assertReadsNoOthers(tables);
    try (DuckTables duck = new DuckTables(directory.resolve(AnswersOfSpark.REJECTS))) {
      assertEquals(List.of("1"), texts(duck, "SELECT count(*) FROM rejects"));
      for (String view : AnswersOfSpark.VIEWS) {
        assertEquals(List.of("0"), texts(duck, "SELECT count(*) FROM " + view), view);
      }
      assertSame(duck, "growth", "nothing");
    }
  }

  private static List<String> texts(DuckTables duck, String sql) throws Exception {
    return duck.rows(sql).stream().map(row -> row.get(0)).toList();
  }

  /** Spark's answer has the same columns and rows. */
  private void assertSame(DuckTables duck, String view, String answer) throws Exception {
    Path files = directory.resolve(AnswersOfSpark.ANSWERS).resolve(answer);
    String ofSpark = "read_parquet('" + files + "/*.parquet')";
    assertEquals(names(duck, view, "%"), names(duck, ofSpark, "%"), view);
    List<String> numbers = names(duck, view, "DOUBLE");
    List<String> keys = names(duck, view, "%");
    keys.removeAll(numbers);
    StringBuilder select = new StringBuilder("SELECT concat_ws('|'");
    keys.forEach(key -> select.append(", coalesce(").append(key).append("::VARCHAR, 'null')"));
    select.append(')');
    numbers.forEach(number -> select.append(", ").append(number));
    select.append(" FROM ");
    assertNear(
        numbers(duck, select + ofSpark), numbers(duck, select + view), ENGINES_DIFFER, answer);
  }

  /** The names of columns whose type is like this, so quoted that all can be in a query. */
  private static List<String> names(DuckTables duck, String table, String type) throws Exception {
    return new ArrayList<>(
        texts(
            duck,
            "SELECT '\"' || column_name || '\"' FROM (DESCRIBE FROM "
                + table
                + ") WHERE column_type LIKE '"
                + type
                + "'"));
  }

  /** The numbers of each row by its first column. */
  private static Map<String, double[]> numbers(DuckTables duck, String sql) throws Exception {
    Map<String, double[]> numbers = new TreeMap<>();
    for (List<String> row : duck.rows(sql)) {
      double[] own =
          row.stream()
              .skip(1)
              .mapToDouble(text -> text == null ? Double.NaN : Double.parseDouble(text))
              .toArray();
      assertNull(numbers.put(row.get(0), own), row.get(0) + " stands twice in " + sql);
    }
    return numbers;
  }

  private static void assertNear(
      Map<String, double[]> expected, Map<String, double[]> actual, double precision, String of) {
    assertEquals(expected.keySet(), actual.keySet(), of);
    expected.forEach(
        (key, numbers) -> {
          for (int i = 0; i < numbers.length; i++) {
            double allowed = Math.max(precision * Math.abs(numbers[i]), NOISE);
            assertEquals(numbers[i], actual.get(key)[i], allowed, of + ": " + key + ", " + i);
          }
        });
  }

  /** Each scan of samples in Spark's plans has the predicate that a query has on a view. */
  private void assertPlanned(String view, boolean hasDate) throws Exception {
    Path answers = directory.resolve(AnswersOfSpark.ANSWERS);
    String plan = Files.readString(answers.resolve(view + AnswersOfSpark.PLAN));
    int scans = 0;
    for (String part : plan.split("\n\n")) {
      if (part.contains("Scan parquet") && part.contains("/samples/")) {
        scans++;
        assertTrue(part.contains("= " + SyntheticFleet.ORDERS + ")"), view + ": " + part);
        assertEquals(hasDate, part.contains("= " + SyntheticFleet.CHOSEN_DATE + ")"), part);
      }
    }
    assertTrue(scans > 0, plan);
  }

  /** DuckDB does not miss the files of other services and days than those that a query names. */
  private static void assertReadsNoOthers(Path tables) throws Exception {
    for (boolean hasDate : List.of(false, true)) {
      String service = "/service=" + SyntheticFleet.ORDERS + "/";
      damageOthers(tables, hasDate ? service + "date=" + SyntheticFleet.CHOSEN_DATE : service);
      try (DuckTables duck = new DuckTables(tables)) {
        for (String view : AnswersOfSpark.VIEWS) {
          if (!hasDate || hasDate(duck, view)) {
            String query = "SELECT * FROM " + view + SyntheticFleet.predicate(hasDate);
            assertFalse(duck.rows(query).isEmpty(), query);
          }
        }
        assertThrows(SQLException.class, () -> duck.rows("SELECT sum(cpu_ns) FROM samples"));
      }
    }
  }

  private static boolean hasDate(DuckTables duck, String view) throws Exception {
    return names(duck, view, "%").contains("\"date\"");
  }

  /** Damages all files of samples but the first, from which DuckDB has the columns, and some. */
  private static void damageOthers(Path tables, String some) throws Exception {
    List<Path> files;
    try (Stream<Path> all = Files.walk(tables.resolve("samples"))) {
      files = all.filter(file -> file.toString().endsWith(".parquet")).sorted().toList();
    }
    assertEquals(SyntheticFleet.SERVICES.size() * SyntheticFleet.DAYS, files.size());
    for (Path file : files.subList(1, files.size())) {
      if (!file.toString().contains(some)) {
        Files.writeString(file, "damaged");
      }
    }
  }

  private void assertRight(DuckTables duck) throws Exception {
    ExpectedAnswers expected = new ExpectedAnswers(fleet);
    String day = "SELECT concat_ws('|', service, date, ";
    assertNear(
        expected.hottestFunctions(),
        numbers(duck, day + "function), self_share, total_share FROM hottest_functions"),
        DIGITS,
        "hottest_functions");
    assertNear(
        expected.libraries(),
        numbers(duck, day + "library, build_id), self_share, total_share, hosts FROM libraries"),
        DIGITS,
        "libraries");
    assertNear(
        expected.regressions(),
        numbers(
            duck,
            "SELECT concat_ws('|', service, version_before, version_after, function),"
                + " share_before, share_after, low, high, is_sure::INTEGER FROM regressions"),
        DIGITS,
        "regressions");
    assertNear(
        expected.hostsThatDiffer(),
        numbers(
            duck,
            "SELECT concat_ws('|', service, version, host, library), share, difference,"
                + " standardised FROM hosts_that_differ"),
        DIGITS,
        "hosts_that_differ");
    assertNear(
        expected.growth(),
        numbers(
            duck, "SELECT concat_ws('|', service, function), slope, standard_error FROM growth"),
        DIGITS,
        "growth");
    assertNear(
        expected.missingSymbols(),
        numbers(duck, day + "library, build_id), share_of_library, hosts FROM missing_symbols"),
        DIGITS,
        "missing_symbols");
    assertNear(
        expected.waiting(), numbers(duck, day + "state), share FROM waiting"), DIGITS, "waiting");
    assertNear(
        expected.coresByMinute(),
        numbers(
            duck,
            "SELECT concat_ws('|', service, host, epoch(minute)::BIGINT), cores, processes"
                + " FROM cores_by_minute"),
        DIGITS,
        "cores_by_minute");
    assertNear(
        expected.topStacks(),
        numbers(duck, day + "stack), sum(share) FROM top_stacks GROUP BY ALL"),
        DIGITS,
        "top_stacks");
    assertNear(
        expected.eventsByFunction(),
        numbers(duck, day + "function), self_weight, total_weight FROM events_by_function"),
        DIGITS,
        "events_by_function");
    assertNear(
        expected.coverage(),
        numbers(duck, day + "what, library), share_of_used FROM coverage"),
        DIGITS,
        "coverage");
  }

  private static void assertFindsWhatIsPlanted(DuckTables duck) throws Exception {
    assertEquals(
        List.of(List.of("orders", "2.3.1", "com.example.Codec.encode")),
        duck.rows(
            "SELECT service, version_after, function FROM regressions"
                + " WHERE is_sure AND service = 'orders' ORDER BY difference DESC LIMIT 1"));
    assertEquals(
        List.of(List.of("h6", "libcrypto.so")),
        duck.rows(
            "SELECT host, library FROM hosts_that_differ ORDER BY standardised DESC LIMIT 1"));
    assertEquals(
        List.of(List.of(SyntheticFleet.NUMBER, "com.example.Cache.get")),
        duck.rows("SELECT service, function FROM growth ORDER BY slope DESC LIMIT 1"));
  }
}
