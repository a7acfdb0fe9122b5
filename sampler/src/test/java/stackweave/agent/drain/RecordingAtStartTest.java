package stackweave.agent.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordingAtStartTest {
  @ParameterizedTest
  @CsvSource({
    "java -cp app.jar Main, false, false",
    "java -XX:StartFlightRecording -cp app.jar Main, true, false",
    "java -XX:StartFlightRecording:name=x -cp app.jar Main, true, false",
    "java '-XX:StartFlightRecording:+stackweave.NativeSample#interval=5ms' Main, true, true",
    "java '-XX:StartFlightRecording:+stackweave.NativeSample#enabled=false' Main, false, false",
    "java -javaagent:/opt/stackweave.jar -XX:StartFlightRecording Main, true, false",
    "JAVA_TOOL_OPTIONS=-XX:StartFlightRecording=disk=true, true, false",
  })
  void guessesByTheText(String options, boolean any, boolean explicit) {
    assertEquals(any, new RecordingAtStart(false).isLikely(options));
    assertEquals(explicit, new RecordingAtStart(true).isLikely(options));
  }
}
