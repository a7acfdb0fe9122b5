package stackweave.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Ended;
import stackweave.testing.Jdk;

/**
 * Recordings of real programs become tables on Spark, and DuckDB reads the same sums from them as
 * the other commands from the recordings.
 */
class IngestIT {
  @TempDir private Path directory;

  /** Spark 4.2 supports these; it does not start on later ones. */
  static Stream<Jdk> jdks() {
    return Jdk.newestOf(Jdk.all().stream().filter(jdk -> jdk.feature() <= 25).toList());
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void tablesHaveWhatRecordingsHave(Jdk jdk) throws Exception {
    Path in = Files.createDirectories(directory.resolve("in/billing/web-7"));
    for (String name : KeptRecordings.NAMES) {
      Files.write(in.resolve(name), KeptRecordings.bytes(name));
    }
    byte[] whole = KeptRecordings.bytes("orders-17.jfr");
    Files.write(in.resolve("copy.jfr"), whole);
    Files.write(in.resolve("cut.jfr"), Arrays.copyOf(whole, whole.length * 2 / 3));
    Files.write(in.resolve("empty.jfr"), new byte[0]);
    Files.writeString(in.resolve("text.jfr"), "no recording\n");
    Files.writeString(in.resolve("ignored.txt"), "of another ending\n");
    Path out = directory.resolve("out");
    Path page = directory.resolve("page.html");
    Path diff = directory.resolve("diff.html");
    String pattern = "path:/**/in/{service}/{host}/";
    Ended ended =
        new FleetJvm(jdk, directory, "local[2]")
            .then(Ingest.class, "--service-from", pattern, directory.resolve("in"), out)
            .then(Ingest.class, "--service-from", pattern, directory.resolve("in"), out)
            .then(Top.class, out, "--where", "service = 'orders'")
            .then(FlameGraph.class, out, "-o", page)
            .then(
                Diff.class,
                out,
                "--before",
                "version = '2.3.0'",
                "--after",
                "version = '2.3.1'",
                "-o",
                diff)
            .then(Query.class, out, "SELECT count(*) AS sources FROM sources")
            .run()
            .successfully();
    assertTrue(ended.out().contains("3 recordings read, 4 rejected, 0 known before"), ended.out());
    assertTrue(ended.out().contains("0 recordings read, 0 rejected, 7 known before"), ended.out());
    assertTrue(ended.out().contains("ZSTD"), ended.out());
    assertTrue(ended.out().contains("Shares of"), ended.out());
    assertTrue(Files.readString(page).contains("<title>"), "a page");
    assertTrue(Files.readString(diff).contains("compared with"), "a page");
    try (DuckTables tables = new DuckTables(out)) {
      assertOrigins(tables);
      assertRejects(tables);
      KeptRecordings.assertSums(tables, "orders-17.jfr", "copy.jfr");
      KeptRecordings.assertSums(tables, "orders-25.jfr", "orders-25.jfr");
      KeptRecordings.assertSums(tables, "lab.jfr", "lab.jfr");
    }
  }

  private static void assertOrigins(DuckTables tables) throws Exception {
    assertEquals(
        List.of(
            List.of("billing", "null", "web-7", "page-faults"),
            List.of("orders", "2.3.0", "orders-1", "cpu"),
            List.of("orders", "2.3.0", "orders-1", "waiting"),
            List.of("orders", "2.3.1", "orders 2", "cpu")),
        tables.rows(
            "SELECT DISTINCT service, coalesce(version, 'null'), host, event FROM samples"
                + " ORDER BY ALL"));
    assertEquals(
        List.of(List.of("0")),
        tables.rows("SELECT count(*) FROM samples WHERE date <> CAST(minute AS DATE)"));
  }

  private static void assertRejects(DuckTables tables) throws Exception {
    Map<String, String> reasons = new TreeMap<>();
    tables
        .rows("SELECT parse_filename(path), reason FROM rejects")
        .forEach(row -> reasons.put(row.get(0), row.get(1)));
    assertEquals(
        List.of("cut.jfr", "empty.jfr", "orders-17.jfr", "text.jfr"),
        List.copyOf(reasons.keySet()));
    assertTrue(reasons.get("cut.jfr").contains("cut short"), reasons.toString());
    assertTrue(reasons.get("empty.jfr").contains("is empty"), reasons.toString());
    assertTrue(reasons.get("orders-17.jfr").contains("same content as file:/"), reasons.toString());
    assertTrue(reasons.get("text.jfr").contains("not a JFR recording"), reasons.toString());
  }
}
