package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.read.SampledRecording;
import stackweave.testing.Ended;
import stackweave.testing.RunningCommand;

/** The commands {@code record} and {@code top} on a running JVM, by its user. */
@Order(2)
class RecordIT extends RecordedProgram {
  private static final Pattern WRITTEN = Pattern.compile("(\\d+) written");

  /** And is told to sample waiting, as often as it was said, and to time blocked threads. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void recordsAndLeavesNoAgentWhereNoneWas(Jvm jvm) throws Exception {
    long pid = start(jvm, RUNS).pid();
    Path file = directory.resolve("rec.jfr");
    Ended result =
        recordSamples(pid, "-o", file, "--interval=1ms", "--wall", "30ms", "--blocked", "2ms");
    assertTrue(result.err().contains("interval: 1 ms of CPU time"), result.err());
    assertTrue(isSampled("rec.jfr"), "no sample of the program");
    assertFailed(command("status", pid), "no Stackweave agent.*");
    assertNothingIsLeft();
    Set<String> wall = settings(file, WallSample.NAME);
    assertTrue(wall.contains("enabled=true"), wall::toString);
    assertTrue(wall.contains("interval=30ms"), wall::toString);
    Set<String> blocked = settings(file, Blocked.NAME);
    assertTrue(blocked.contains("enabled=true"), blocked::toString);
    assertTrue(blocked.contains("threshold=2ms"), blocked::toString);
  }

  private static void assertStartsWith(String start, String text) {
    assertEquals(start, text.substring(0, Math.min(start.length(), text.length())));
  }

  /** An event's settings as the recording says that they were. */
  private static Set<String> settings(Path file, String event) throws Exception {
    Set<String> settings = new TreeSet<>();
    try (RecordingFile recording = new RecordingFile(file)) {
      long id =
          recording.readEventTypes().stream()
              .filter(type -> type.getName().equals(event))
              .findFirst()
              .orElseThrow()
              .getId();
      while (recording.hasMoreEvents()) {
        RecordedEvent next = recording.readEvent();
        if (next.getEventType().getName().equals("jdk.ActiveSetting") && next.getLong("id") == id) {
          settings.add(next.getString("name") + "=" + next.getString("value").replace(" ", ""));
        }
      }
    }
    return settings;
  }

  /** What was recorded while two ran is in one of them. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void aLoopLosesNothingBetweenItsRecordings(Jvm jvm) throws Exception {
    long pid = start(jvm, RUNS, "-javaagent:" + Jars.AGENT).pid();
    RunningCommand loop =
        begin("record", pid, "--loop=1s", "-o", "l-%n{9}%%.jfr", "--settings=none", "--no-weave");
    awaitOut(loop, out -> out.lines().count() > 2);
    List<String> files = interrupt(loop).outLines();
    assertEquals(
        IntStream.range(0, files.size()).mapToObj(i -> "l-" + i + "%.jfr").toList(), files);
    Matcher written = WRITTEN.matcher(command("status", pid).out());
    assertTrue(written.find());
    List<Object> merge = new ArrayList<>(List.of("merge", "-o", "all.jfr"));
    merge.addAll(files);
    String merged = command(merge.toArray()).successfully().out();
    // A chunk without a sample, as on a busy machine, does not say of which JVM it is.
    assertTrue(merged.startsWith("all.jfr: " + written.group(1) + " samples of "), merged);
    long samples = 0;
    for (String file : files) {
      samples +=
          RecordingFile.readAllEvents(directory.resolve(file)).stream()
              .filter(event -> event.getEventType().getName().equals("stackweave.StackSample"))
              .count();
    }
    assertEquals(written.group(1), Long.toString(samples));
    assertNothingIsLeft();
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void aRecordingWithoutASampleIsSaid(Jvm jvm) throws Exception {
    Path off = Files.createFile(directory.resolve("off"));
    Path jar = Files.copy(Jars.AGENT, directory.resolve("50%20 #1.jar"));
    long pid = start(jvm, RUNS, "-javaagent:" + jar + "=switch=" + off).pid();
    assertStartsWith("state: dormant since ", command("status", pid).successfully().out());
    Ended result = command("record", pid, "-d", "1s", "-o", directory.resolve("none.jfr"));
    assertEquals(0, result.exit(), result.err());
    assertTrue(result.err().contains("no sample was taken"), result.err());
    assertFalse(result.err().contains("next:"), result.err());
    // No other agent came for the recording, and left with it.
    assertStartsWith("state: dormant, ", command("status", pid).successfully().out());
  }

  @Test
  void topOfARunningJvm() throws Exception {
    Process target = start(last(), RUNS);
    RunningCommand watch = begin("top", target.pid(), "--every=1s", "-d5m", "-n2");
    awaitOut(
        watch,
        out ->
            out.lines().filter(line -> line.endsWith("  FUNCTION")).count() >= 2
                && out.contains("  main\n"));
    Ended top = interrupt(watch);
    assertTrue(top.out().startsWith("process " + target.pid()), top.out());
    Ended check = run(last().home().resolve("bin/jcmd"), target.pid(), "JFR.check");
    assertFalse(check.successfully().out().contains("stackweave-record-"), check.out());
    // The agent leaves by itself, soon after the recording.
    awaitStatus(target.pid(), String::isEmpty);
    assertNothingIsLeft();
  }

  /** On JDK 17 JFR loses texts that an earlier recording of the same JVM had. */
  @Test
  void aRecordingAfterTopHasAllTexts() throws Exception {
    Process target = start(Jvm.all().findFirst().orElseThrow(), RUNS);
    Path file = directory.resolve("later.jfr");
    command("top", target.pid(), "--every=1s", "-d4s").successfully();
    command("record", target.pid(), "-d", "1s", "-o", file).successfully();
    SampledRecording later = SampledRecording.open(file);
    assertFalse(later.sessions().get(0).jdk().isEmpty());
    Set<String> kinds = new HashSet<>();
    later.forEachSample(sample -> sample.frames().forEach(frame -> kinds.add(frame.kind())));
    assertTrue(kinds.contains("native"), kinds.toString());
  }
}
