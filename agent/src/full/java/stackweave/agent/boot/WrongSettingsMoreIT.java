package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.BurnsAndTells;
import stackweave.agent.apps.Works;
import stackweave.engine.timer.threads.CpuTimers;
import stackweave.testing.Ended;

/** More of what nobody understood. */
class WrongSettingsMoreIT extends NotedSettings {
  /** It is served by what samples for the first, and has its notes all the same. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void aSecondRecordingsSettingsAreTold(Jvm jvm) throws Exception {
    List<String> arguments =
        List.of("-javaagent:" + Jars.AGENT, "-cp", Jars.apps().toString(), Works.class.getName());
    try (LiveJvm live = LiveJvm.start(jvm, directory, arguments, new ArrayList<>())) {
      live.jcmd(jvm, directory, "JFR.start", "name=one", "filename=one.jfr");
      live.awaitSamples(20);
      assertFalse(live.status().contains("foo"), live.status());
      live.jcmd(jvm, directory, "JFR.start", "name=two", "filename=two.jfr", EVENT + "engine=foo");
      live.awaitStatus("the note", status -> status.contains("recording two " + TOLD.get(0)));
      awaitNote(jvm, live, "two", "recording two " + TOLD.get(0));
      live.jcmd(jvm, directory, "JFR.stop", "name=two");
      live.awaitStatus("no note", status -> !status.contains("foo"));
      assertTrue(notes(directory.resolve("two.jfr")).contains("recording two " + TOLD.get(0)));
      live.jcmd(jvm, directory, "JFR.stop", "name=one");
      Ended end = live.end();
      assertTrue(end.err().contains("stackweave: recording two " + TOLD.get(0)), end.err());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "record --engine foo          | there is no engine 'foo' .there are: auto, perf, timer, perf-thread, perf-user.",
        "record --engine tmier        | there is no engine 'tmier' .did you mean timer. There are: auto, .*",
        "record --interval 5_parsecs  | '5_parsecs' is not a time from 100us to 60s, such as 10ms",
        "record --interval 99999s     | '99999s' is not a time from 100us to 60s, such as 10ms",
        "record --interval 10us       | '10us' is not a time from 100us to 60s, such as 10ms",
        "attach interval=99999s       | option 'interval' can't be '99999s' .wanted: a time from 100us to 60s, such as 10ms.",
        "attach engine=foo            | option 'engine' can't be 'foo' .wanted: auto, perf, timer, perf-thread, perf-user.",
        "attach depth=8193            | option 'depth' can't be '8193' .wanted: a number of frames from 1 to 8192.",
      })
  void theCommandLineRefuses(String command, String message) throws Exception {
    assertRefused(Map.of(command.strip(), message));
  }

  /** An event that is none: the recording asks for nothing by it, and a person may read stderr. */
  @ParameterizedTest
  @MethodSource("jvms")
  void aMisspeltEventIsTold(Jvm jvm) throws Exception {
    Path recording = directory.resolve("rec.jfr");
    String setting = "+stackweave.NativeSampel#interval=1ms";
    try (LiveJvm live = start(jvm, "=sample=explicit", recording, setting)) {
      live.awaitErr("sets stackweave.NativeSampel#interval, of an event that is unknown");
      live.end();
    }
  }

  @Test
  void helpHasWhatMayBeAsked() throws Exception {
    Ended help = Jvm.all().findFirst().orElseThrow().commandLine(directory, "record", "--help");
    String text = help.out().replaceAll("\\s+", " ");
    assertTrue(text.contains("a time from 100us to 60s, such as 10ms"), help.out());
    assertTrue(text.contains("auto, perf, timer, perf-thread, perf-user"), help.out());
  }

  /** What is reached is said wherever the interval is. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void anIntervalBelowTheTickIsSaidToBeTheTick(Jvm jvm) throws Exception {
    Path recording = directory.resolve("tick.jfr");
    Ended result =
        jvm.run(
            directory,
            List.of(
                "-javaagent:" + Jars.AGENT,
                "-XX:StartFlightRecording:filename="
                    + recording
                    + ","
                    + EVENT
                    + "engine=timer,"
                    + EVENT
                    + "interval=1ms",
                "-cp",
                Jars.apps().toString(),
                BurnsAndTells.class.getName(),
                "2000"));
    assertEquals(0, result.exit(), result.err());
    double samples = 0;
    double weight = 0;
    for (var event : RecordingFile.readAllEvents(recording)) {
      if (event.getEventType().getName().equals("stackweave.StackSample")
          && event.getThread("sampledThread") != null
          && "main".equals(event.getThread("sampledThread").getJavaName())) {
        samples++;
        weight += event.getLong("weight");
      }
    }
    double millis = weight / samples / 1e6;
    double tick = CpuTimers.tickNanos() / 1e6;
    System.out.printf("%s: %.0f samples of main at 1 ms, of %.2f ms each%n", jvm, samples, millis);
    String said = "interval: asked 1 ms, about ";
    String notes = notes(recording);
    assertEquals(tick > 1, notes.contains(said), tick + " ms: " + notes);
    // None comes sooner than at the next tick; on a busy machine many come later.
    assertTrue(samples == 0 || millis > 0.8 * tick, millis + " ms, ticks of " + tick);
    assertEquals(0, jvm.commandLine(directory, "flamegraph", recording.toString()).exit());
    String page = Files.readString(directory.resolve("tick.html"));
    assertEquals(tick > 1, page.contains("\"asked 1 ms, about "), "in the flame graph");
  }

  /** Waits until what a recording has so far, as a dump shows, has a note. */
  private void awaitNote(Jvm jvm, LiveJvm live, String recording, String note) throws Exception {
    Path dump = directory.resolve("dump.jfr");
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (!Files.exists(dump) || !notes(dump).contains(note)) {
      assertTrue(System.nanoTime() < end, "never in the recording: " + note);
      Files.deleteIfExists(dump);
      live.jcmd(jvm, directory, "JFR.dump", "name=" + recording, "filename=" + dump);
    }
  }
}
