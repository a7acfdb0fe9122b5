package stackweave.jfr.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StartFactsTest {
  private static final String ATTRIBUTES = "service.version=2.3.1,team=a b";

  private static void assertIs(
      Map<String, String> properties, Map<String, String> variables, String text) {
    Map<String, String> readProperties = new HashMap<>();
    Map<String, String> readVariables = new HashMap<>();
    StartFacts.read(text, readProperties::put, readVariables::put);
    assertEquals(properties, readProperties);
    assertEquals(variables, readVariables);
  }

  @Test
  void aProcessIsReadAsItWasStarted() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("tail", "-f", "--", "/dev/null", "-Dservice.name=tails");
    builder.environment().put("OTEL_SERVICE_NAME", "orders äöü");
    builder.environment().put("OTEL_RESOURCE_ATTRIBUTES", ATTRIBUTES);
    builder.environment().put("HOSTNAME", "pod-1");
    builder.environment().put("PASSWORD", "secret");
    Process process = builder.start();
    try {
      String image = "tail";
      while (!process.toHandle().info().command().orElse("").endsWith(image)) {
        Thread.sleep(5); // until it executes it
      }
      assertIs(
          Map.of("service.name", "tails"),
          Map.of(
              "OTEL_SERVICE_NAME",
              "orders äöü",
              "OTEL_RESOURCE_ATTRIBUTES",
              ATTRIBUTES,
              "HOSTNAME",
              "pod-1"),
          StartFacts.of(SampledProcess.other((int) process.pid())));
    } finally {
      process.destroyForcibly().waitFor();
    }
    assertIs(Map.of(), Map.of(), StartFacts.of(SampledProcess.other((int) process.pid())));
  }

  /** As a JVM takes them: the command line holds before variables, of two the last. */
  @Test
  void argumentsOfAJvmAreInSeveralPlaces() {
    List<String> environment =
        List.of(
            "JAVA_TOOL_OPTIONS=-Xmx1g -Dservice.name=a -Dservice.version=1 -Dhost.name=h",
            "JDK_JAVA_OPTIONS=-Dservice.version=2");
    assertIs(
        Map.of("service.name", "c", "service.version", "2", "host.name", "h"),
        Map.of(),
        StartFacts.text(
            environment, List.of("java", "-Dservice.name=b", "-Dservice.name=c", "Main")));
  }

  @Test
  void valuesAreOneLineAndNotLong() {
    assertIs(
        Map.of(),
        Map.of("HOSTNAME", "a -Dservice.name=b", "OTEL_SERVICE_NAME", "x".repeat(1_000)),
        StartFacts.text(
            List.of("HOSTNAME=a\n-Dservice.name=b", "OTEL_SERVICE_NAME=" + "x".repeat(5_000)),
            List.of()));
  }
}
