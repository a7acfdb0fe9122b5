package stackweave.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.Jdk;

/**
 * Native functions without names get those of a debug file that came later: gcc makes one with the
 * build id of the recorded libz, and functions where that has some.
 */
class SymbolizeIT {
  private static final String SOURCE =
      """
      static inline __attribute__((always_inline)) int inlined(int x) {
        volatile int y = x;
        return y + 1;
      }
      __attribute__((section(".named"))) int found_later(int x) {
        x = inlined(x);
        __asm__ volatile(".fill 4096, 1, 0x90"); /* as long as the real one */
        return x;
      }
      """;

  @TempDir private Path directory;

  @Test
  void framesAreNamedAndStacksStay() throws Exception {
    Path in = Files.createDirectories(directory.resolve("in"));
    Files.write(in.resolve("orders.jfr"), KeptRecordings.bytes("orders-17.jfr"));
    Path out = directory.resolve("out");
    command().then(Ingest.class, in, out).run().successfully();
    List<List<String>> before;
    String buildId;
    String function;
    try (DuckTables tables = new DuckTables(out)) {
      before = sums(tables);
      List<String> hottest =
          tables
              .rows(
                  "SELECT build_id, function FROM frames WHERE library LIKE 'libz.so%'"
                      + " AND function LIKE '%+0x%' GROUP BY ALL ORDER BY count(*) DESC LIMIT 1")
              .get(0);
      buildId = hottest.get(0);
      function = hottest.get(1);
    }
    Path debug = debugFile(buildId, function.substring(function.lastIndexOf("+0x") + 1));
    Ended ended = command().then(Symbolize.class, out, debug).run().successfully();
    assertFalse(ended.out().contains(", 0 named"), ended.out());
    try (DuckTables tables = new DuckTables(out)) {
      assertEquals(before, sums(tables), "the same samples of the same stacks");
      List<List<String>> named =
          tables.rows(
              "SELECT text, file, line > 0 FROM frames WHERE function = 'found_later'"
                  + " GROUP BY ALL");
      assertEquals(1, named.size(), named.toString());
      assertTrue(named.get(0).get(0).startsWith("found_later [libz.so"), named.toString());
      assertTrue(named.get(0).get(1).endsWith("later.c"), named.toString());
      assertEquals(
          List.of(List.of("0")),
          tables.rows("SELECT count(*) FROM frames WHERE function = '" + function + "'"));
    }
    // What has been named is left alone, and the tables with it.
    Ended again = command().then(Symbolize.class, out, debug).run().successfully();
    assertTrue(again.out().contains(", 0 named"), again.out());
    try (Stream<Path> manifests = Files.list(out.resolve("manifests"))) {
      assertEquals(2, manifests.count());
    }
  }

  private FleetJvm command() {
    return new FleetJvm(Jdk.onOldest().findFirst().orElseThrow(), directory, "local[2]");
  }

  private static List<List<String>> sums(DuckTables tables) throws Exception {
    return tables.rows(
        "SELECT stack_id, sum(cpu_ns), sum(count) FROM samples JOIN stacks USING (stack_id)"
            + " GROUP BY ALL ORDER BY ALL");
  }

  /** A shared object with a build id and a function at an address. */
  private Path debugFile(String buildId, String address) throws Exception {
    Path debug = Files.createDirectories(directory.resolve("debug"));
    Path source = Files.writeString(directory.resolve("later.c"), SOURCE);
    Commands.output(
        "gcc",
        "-g",
        "-O1",
        "-shared",
        "-fPIC",
        "-Wl,--build-id=0x" + buildId,
        "-Wl,--section-start=.named=" + address,
        "-o",
        debug.resolve("later.debug"),
        source);
    return debug;
  }
}
