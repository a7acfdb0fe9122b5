package stackweave.hotspot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import stackweave.testing.Commands;
import stackweave.testing.Jdk;

/**
 * On every JDK of this machine: what docs/jdk-layout.md says of it is what the code finds, and the
 * lack of any entry is told by its name.
 */
class LayoutLedgerIT {
  private static final Path PAGE = Path.of("../docs/jdk-layout.md");

  @TestFactory
  Stream<DynamicTest> ledgerAndPageAgree() {
    return Jdk.all().stream().map(jdk -> DynamicTest.dynamicTest(jdk.toString(), () -> run(jdk)));
  }

  private static void run(Jdk jdk) throws Exception {
    List<String> lines =
        Commands.run(
                jdk.java(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                LayoutLedger.class.getName())
            .successfully()
            .outLines();
    Map<String, String> documented = ofPage(jdk.feature());
    if (!documented.isEmpty()) { // newer than the page knows: may work, is not promised
      assertEquals(String.join("\n", lines), text(documented), () -> PAGE + " on " + jdk);
    }
  }

  /** The page's table as {@link LayoutLedger} prints it; empty if it doesn't name this JDK. */
  private static Map<String, String> ofPage(int feature) throws IOException {
    Map<String, String> types = new TreeMap<>();
    for (String line : Files.readAllLines(PAGE)) {
      List<String> cells = Arrays.stream(line.split("\\|")).map(String::strip).toList();
      boolean isRow = cells.size() == 4 && cells.get(3).startsWith("`");
      if (isRow && List.of(cells.get(1).split(", ")).contains(Integer.toString(feature))) {
        for (String entry : cells.get(3).split(", ")) {
          types.put(entry.replace("`", ""), cells.get(2));
        }
      }
    }
    return types;
  }

  private static String text(Map<String, String> types) {
    return String.join(
        "\n", types.entrySet().stream().map(e -> e.getKey() + " " + e.getValue()).toList());
  }
}
