package stackweave.agent.cli.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.agent.cli.common.FailedException;

/** The options that JVMs of a started program take; that JDKs take them is a live test's. */
class JvmRequestTest {
  private static final Path JAR = Path.of("/my lib/agent.jar");
  private static final Path DIRECTORY = Path.of("/tmp/sw");

  @Test
  void optionsStandBehindThoseThatThereAre() throws Exception {
    Map<String, String> events = new TreeMap<>(Map.of("a.B#threshold", "1 ms", "c.D#on", "true"));
    assertEquals(
        "-Xmx1g '-javaagent:/my lib/agent.jar' -Xlog:jfr+startup=off"
            + " -XX:FlightRecorderOptions:repository=/tmp/sw"
            + " -XX:StartFlightRecording:filename=/tmp/sw,settings=default,dumponexit=true,"
            + "name=stackweave-timed,duration=2s,+a.B#threshold=1ms,+c.D#on=true",
        new JvmRequest("default", events, 1_001).options("-Xmx1g", JAR, DIRECTORY));
    assertTrue(
        new JvmRequest("none", Map.of(), 0)
            .options("", JAR, DIRECTORY)
            .endsWith(",settings=none,dumponexit=true"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/it's/agent.jar | /tmp/a   | default | /it's/agent.jar can't be passed .*: copy the jar .*",
        "/a=b/agent.jar  | /tmp/a   | default | /a=b/agent.jar can't be passed .*",
        "/agent.jar      | /tmp/a,b | default | /tmp/a,b can't .* -Djava.io.tmpdir=DIRECTORY",
        "/agent.jar      | /tmp/a   | it's    | '.*settings=it's.*' can't be passed .* quote in it",
      })
  void whatCantBePassedIsSaid(Path jar, Path directory, String settings, String message) {
    JvmRequest request = new JvmRequest(settings, Map.of(), 0);
    String said =
        assertThrows(FailedException.class, () -> request.options("", jar, directory)).getMessage();
    assertTrue(said.matches(message), said);
  }
}
