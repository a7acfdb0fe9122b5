package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Ended;

/**
 * What nobody understood is told: refused where somebody reads it, else noted wherever one looks.
 */
class WrongSettingsIT extends NotedSettings {
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void aRecordingsSettingsAreTold(Jvm jvm) throws Exception {
    Path recording = directory.resolve("rec.jfr");
    String settings = "engine=foo," + EVENT + "intervall=5ms," + EVENT + "interval=10us";
    try (LiveJvm live = start(jvm, "", recording, EVENT + settings)) {
      live.awaitSamples(20);
      assertAllTold(live.end().successfully().err(), "stderr");
    }
    assertAllTold(notes(recording), "SamplerStatus");
    Ended collapsed = jvm.commandLine(directory, "collapsed", recording.toString());
    assertAllTold(collapsed.err(), "collapsed");
    assertEquals(0, jvm.commandLine(directory, "flamegraph", recording.toString()).exit());
    assertAllTold(Files.readString(directory.resolve("rec.html")), "flamegraph");
  }

  @Test
  void theCommandLineRefuses() throws Exception {
    assertRefused(
        Map.of(
            "record --engine tmier",
            "there is no engine 'tmier' .did you mean timer. There are: auto, .*",
            "attach engine=foo",
            "option 'engine' can't be 'foo' .wanted: auto, perf, timer, perf-thread, perf-user."));
  }

  private static void assertAllTold(String text, String where) {
    for (String told : TOLD) {
      assertTrue(text.contains(told), where + " lacks: " + told + " in " + text);
    }
  }
}
