package stackweave.live.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import stackweave.live.support.Jdks;
import stackweave.live.support.Jvms;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;

/** Native calls in recordings that are switched on and off. */
class NativeCallsMoreIT {

  /** Alone, so that no other recording's wishes are in its file. */
  @Test
  void recordingsSwitchAndNarrow() throws Exception {
    Jdk jdk = Jdks.oldest();
    ForkedJvm jvm = Jvms.on(jdk).agent("sample=explicit", "calls=*.NativeCallsApp::*");
    Path directory = jvm.directory();
    jvm.run(NativeCallsIT.APP, NativeCallsIT.library(directory).toString(), directory.toString())
        .successfully();

    List<RecordedEvent> first = RecordingFile.readAllEvents(directory.resolve("first.jfr"));
    assertEquals(1, NativeCallsIT.slow(first, "sleep").size());
    assertEquals(0, NativeCallsIT.slow(first, "quick").size());
    assertEquals(Map.of("sleep", 1L), calls(first));
    List<RecordedEvent> second = RecordingFile.readAllEvents(directory.resolve("second.jfr"));
    assertEquals(0, NativeCallsIT.slow(second, "sleep").size());
    assertEquals(1, NativeCallsIT.slow(second, "quick").size());
    assertEquals(Map.of("quick", 1L), calls(second));

    Path file = directory.resolve("first.jfr");
    String report = Jvms.commandLine(jdk, "report", file.toString()).successfully().out();
    assertTrue(report.contains("NO SAMPLES"), report);
    assertTrue(report.contains("NATIVE CALLS BY METHOD"), report);
    assertTrue(report.contains("by " + NativeCallsIT.APP + ".ofOwnRecordings"), report);
  }

  private static Map<String, Long> calls(List<RecordedEvent> events) {
    Map<String, Long> calls = new TreeMap<>();
    NativeCallsIT.counts(events)
        .forEach((method, sum) -> calls.put(method, sum.calls() + sum.slowCalls()));
    return calls;
  }
}
