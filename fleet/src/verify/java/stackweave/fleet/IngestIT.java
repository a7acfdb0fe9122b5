package stackweave.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.jfr.export.CollapsedExport;
import stackweave.jfr.export.FrameNames;
import stackweave.jfr.export.Selection;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.StackEnd;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.testing.Ended;
import stackweave.testing.Jdk;

/**
 * Recordings of real programs become tables on Spark, and DuckDB reads the same sums from them as
 * the other commands from the recordings.
 */
class IngestIT {
  private static final List<String> RECORDINGS =
      List.of("orders-17.jfr", "orders-25.jfr", "lab.jfr");

  @TempDir private Path directory;

  /** Spark 4.2 supports these; it does not start on later ones. */
  static Stream<Jdk> jdks() {
    return Jdk.onEnds().filter(jdk -> jdk.feature() <= 25);
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void tablesHaveWhatRecordingsHave(Jdk jdk) throws Exception {
    Path in = Files.createDirectories(directory.resolve("in/billing/web-7"));
    for (String name : RECORDINGS) {
      Files.write(in.resolve(name), recording(name));
    }
    byte[] whole = recording("orders-17.jfr");
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
      for (String name : RECORDINGS) {
        assertSums(tables, in.resolve(name));
      }
    }
  }

  private static byte[] recording(String name) throws Exception {
    try (InputStream in =
        new GZIPInputStream(IngestIT.class.getResourceAsStream("/recordings/" + name + ".gz"))) {
      return in.readAllBytes();
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

  /** Each stack of a recording has the same sum in the tables. */
  private static void assertSums(DuckTables tables, Path file) throws Exception {
    String name = file.getFileName().toString();
    String source =
        name.equals("orders-17.jfr")
            ? "SELECT source FROM sources WHERE path LIKE '%/copy.jfr'"
            : "SELECT source FROM sources WHERE path LIKE '%/" + name + "'";
    for (SampleChoice choice :
        name.equals("lab.jfr")
            ? List.of(SampleChoice.ofEvent("page-faults"))
            : name.equals("orders-17.jfr")
                ? List.of(SampleChoice.CPU, SampleChoice.WALL)
                : List.of(SampleChoice.CPU)) {
      String weight = choice.isEvent() ? "weight" : choice.isWall() ? "wall_ns" : "cpu_ns";
      Map<String, Long> sums = new HashMap<>();
      for (List<String> row :
          tables.rows(
              "SELECT array_to_string([f.text FOR f IN frames], ';'), len(frames), complete,"
                  + " end_reason, sum("
                  + weight
                  + ") FROM samples JOIN stacks USING (stack_id) WHERE source = ("
                  + source
                  + ") GROUP BY ALL HAVING sum("
                  + weight
                  + ") > 0")) {
        String marker =
            new StackEnd(row.get(3), Boolean.parseBoolean(row.get(2)))
                .marker(Integer.parseInt(row.get(1)))
                .map(text -> text + ";")
                .orElse("");
        String stack = (marker + row.get(0)).replaceFirst(";$", ""); // without frames
        sums.merge(stack, Long.parseLong(row.get(4)), Long::sum);
      }
      Map<String, Long> expected = collapsed(file, choice);
      Map<String, Long> missing = new TreeMap<>(expected);
      missing.entrySet().removeAll(sums.entrySet());
      sums.entrySet().removeAll(expected.entrySet());
      assertEquals(missing, new TreeMap<>(sums), name + ", " + choice.type());
    }
  }

  private static Map<String, Long> collapsed(Path file, SampleChoice choice) throws Exception {
    SampledRecording recording =
        SampledRecording.open(file, ReadingProgress.NONE, false, SampledFrame.Change.NONE, choice);
    StringBuilder text = new StringBuilder();
    new CollapsedExport(new CollapsedExport.Options(false, true, FrameNames.PLAIN), Selection.ALL)
        .writeText(recording, text);
    return text.toString()
        .lines()
        .collect(
            Collectors.toMap(
                line -> line.substring(0, line.lastIndexOf(' ')),
                line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1))));
  }
}
