package stackweave.fleet.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PathPatternTest {
  private static Map<String, String> facts(String pattern, String path) {
    return PathPattern.parse(pattern).facts(path);
  }

  @Test
  void aPatternThatEndsWithASlashIsOfTheBeginning() {
    Map<String, String> orders = Map.of("service", "orders");
    assertEquals(orders, facts("path:/*/{service}/", "hdfs://nn:9000/rec/orders/2026/x.jfr"));
    assertEquals(orders, facts("path:/*/{service}/", "file:/rec/orders/x.jfr"));
    assertEquals(Map.of(), facts("path:/*/{service}/", "file:/rec/x.jfr"));
  }

  @Test
  void partsOfNamesAreFacts() {
    assertEquals(
        Map.of("service", "orders", "host", "web-1", "version", "2.3.1"),
        facts("path:/**/{service}@{version}/{host}-*.jfr", "/a/b/orders@2.3.1/web-1-17.jfr"));
  }

  @Test
  void twoStarsAreDirectoriesOrNone() {
    Map<String, String> node = Map.of("host", "node7");
    String pattern = "path:/**/recordings/{host}/*";
    assertEquals(node, facts(pattern, "s3a://fleet/recordings/node7/1.jfr"));
    assertEquals(node, facts(pattern, "file:/a/b/recordings/node7/1.jfr"));
    assertEquals(Map.of(), facts(pattern, "file:/a/myrecordings/node7/1.jfr"));
    assertEquals(node, facts("path:/rec/**/{host}.jfr", "/rec/node7.jfr"));
  }

  @Test
  void otherCharactersMeanThemselves() {
    assertEquals(Map.of(), facts("path:/a.c/{host}/", "/abc/h/x.jfr"));
    assertEquals(Map.of("host", "h"), facts("path:/a.(c/{host}/", "/a.(c/h/x.jfr"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "path:", "/{service}/", "path:/rec/", "path:/{name}/", "path:/{host}/{host}/"})
  void refusesWhatIsNone(String text) {
    Throwable e = assertThrows(IllegalArgumentException.class, () -> PathPattern.parse(text));
    assertTrue(e.getMessage().startsWith("'" + text + "' is no pattern"), e.getMessage());
  }
}
