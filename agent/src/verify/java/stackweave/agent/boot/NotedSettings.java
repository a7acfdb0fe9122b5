package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.apps.Waits;
import stackweave.agent.apps.Works;
import stackweave.testing.Ended;
import stackweave.testing.EventsByTime;

/** JVMs that are asked for what there is not, and their notes. */
abstract class NotedSettings {
  static final String EVENT = "+stackweave.NativeSample#";
  static final List<String> TOLD =
      List.of(
          "asks for engine 'foo', which is unknown (there are: auto, perf, timer, perf-thread, perf-user); auto"
              + " is used",
          "sets stackweave.NativeSample#intervall, which is unknown, so nothing follows it (did you"
              + " mean interval?",
          "asks for interval 10us, which is not a time from 100us to 60s, such as 10ms; 100 us is"
              + " used");

  @TempDir Path directory;

  static Stream<Jvm> jvms() {
    return Jvm.all();
  }

  LiveJvm start(Jvm jvm, String agent, Path recording, String settings) throws Exception {
    return LiveJvm.start(
        jvm,
        directory,
        List.of(
            "-javaagent:" + Jars.AGENT + agent,
            "-Xlog:jfr+startup=off",
            "-XX:StartFlightRecording:filename=" + recording + "," + settings,
            "-cp",
            Jars.apps().toString(),
            Works.class.getName()),
        new ArrayList<>());
  }

  static String notes(Path recording) throws Exception {
    StringBuilder notes = new StringBuilder();
    for (RecordedEvent event : EventsByTime.statuses(recording)) {
      notes.append(event.getString("note")).append('\n');
    }
    return notes.toString();
  }

  /** One line of refusal for each command, on a JVM that is left alone. */
  void assertRefused(Map<String, String> commands) throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    List<String> waits = List.of("-cp", Jars.apps().toString(), Waits.class.getName());
    Process target =
        jvm.start(directory, waits).redirectError(directory.resolve("err.txt").toFile()).start();
    try {
      target.inputReader().readLine();
      String pid = Long.toString(target.pid());
      for (Map.Entry<String, String> command : commands.entrySet()) {
        List<String> words = new ArrayList<>(List.of(command.getKey().split(" ")));
        words.add(1, pid);
        Ended result = jvm.commandLine(directory, words.toArray(new String[0]));
        assertEquals(2, result.exit(), result.err());
        assertEquals(1, result.err().lines().count(), result.err());
        assertTrue(
            result.err().matches("stackweave: .*" + command.getValue() + ".*\n"), result.err());
        assertEquals("", RecordedProgram.status(target.pid()), "an agent was left there");
      }
    } finally {
      target.destroyForcibly().waitFor();
    }
  }
}
