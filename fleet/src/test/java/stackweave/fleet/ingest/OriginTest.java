package stackweave.fleet.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

class OriginTest {
  private static final Map<String, String> PATH =
      Map.of("service", "of-path", "version", "0", "host", "path-host");
  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "OTEL_SERVICE_NAME", "of-variable",
          "OTEL_RESOURCE_ATTRIBUTES",
              "service.name=of-attributes, service.version=1%2B2+3,host.name=node%201,=,x",
          "HOSTNAME", "pod");
  private static final Map<String, String> PROPERTIES =
      Map.of("service.name", "of-property", "service.version", "3", "host.name", "property-host");

  @Test
  void theFirstThatKnowsHolds() {
    assertEquals(
        new Origin("of-property", "3", "property-host"), Origin.of(PROPERTIES, ENVIRONMENT, PATH));
    assertEquals(
        new Origin("of-variable", "1+2+3", "node 1"), Origin.of(Map.of(), ENVIRONMENT, PATH));
    assertEquals(
        new Origin("of-attributes", "", ""),
        Origin.of(
            Map.of(), Map.of("OTEL_RESOURCE_ATTRIBUTES", "service.name=of-attributes"), Map.of()));
    assertEquals(
        new Origin("of-path", "0", "pod"), Origin.of(Map.of(), Map.of("HOSTNAME", "pod"), PATH));
    assertEquals(Origin.UNKNOWN, Origin.of(Map.of(), Map.of(), Map.of()));
  }

  @Test
  void labelsHoldBeforeAllElse() {
    Origin jvm = new Origin("jvm", "1", "host");
    assertEquals(jvm, jvm.with(Map.of("endpoint", "/orders")));
    assertEquals(new Origin("tenant", "1", "host"), jvm.with(Map.of("service.name", "tenant")));
    assertEquals(jvm, jvm.with(Map.of("service.name", "__HIVE_DEFAULT_PARTITION__")));
  }

  @Test
  void aNameThatCannotBeADirectoryIsMadeOne() {
    assertEquals("a b", Origin.of(Map.of("service.name", " a\nb "), Map.of(), Map.of()).service());
    assertEquals(
        60,
        Origin.of(Map.of("service.name", "ü".repeat(500)), Map.of(), Map.of()).service().length());
    assertEquals(
        Origin.UNKNOWN_SERVICE,
        Origin.of(Map.of("service.name", "__HIVE_DEFAULT_PARTITION__"), Map.of(), Map.of())
            .service());
  }
}
