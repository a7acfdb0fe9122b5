package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.BurnsAndTells;
import stackweave.agent.apps.Works;
import stackweave.testing.Ended;

/** What a recording says of the CPU time that has no samples, for sampling had not begun. */
@Order(7)
class MissedCpuIT {
  private static final long SECOND = 1_000_000_000L;

  @TempDir private Path directory;

  /** Sums over a recording's statuses. */
  private record Cpu(long used, long covered, long missed, List<RecordedEvent> statuses) {
    static Cpu of(Path recording) throws Exception {
      List<RecordedEvent> statuses =
          RecordingFile.readAllEvents(recording).stream()
              .filter(event -> event.getEventType().getName().equals("stackweave.SamplerStatus"))
              .toList();
      return new Cpu(
          sum(statuses, "cpuUsed"),
          sum(statuses, "cpuCovered"),
          sum(statuses, "cpuMissed"),
          statuses);
    }

    private static long sum(List<RecordedEvent> statuses, String field) {
      return statuses.stream().mapToLong(status -> status.getLong(field)).sum();
    }
  }

  /** A short program: what it used before the first sample is a good part of it. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void aShortProgramsCpuTimeIsAllThere(Jvm jvm) throws Exception {
    Path recording = directory.resolve("short.jfr");
    Ended result = record(jvm, recording, 2_000);
    long main = used(result);
    Cpu cpu = Cpu.of(recording);
    System.out.printf(
        "%s: main used %.2f s; recorded %.2f s used, %.2f s missed, %.2f s covered%n",
        jvm, main / 1e9, cpu.used / 1e9, cpu.missed / 1e9, cpu.covered / 1e9);
    // Main began after the recording did, and the recording ends after main.
    assertTrue(cpu.used >= main, cpu::toString);
    assertTrue(cpu.used < main + 120 * SECOND, cpu::toString);
    assertTrue(cpu.missed > 0 && cpu.missed <= cpu.used, cpu::toString);
    assertTrue(cpu.covered <= 1.1 * (cpu.used - cpu.missed) + 0.1 * SECOND, cpu::toString);
    String missing = "s of CPU time used while it did not run are missing";
    Ended collapsed = jvm.commandLine(directory, "collapsed", recording.toString());
    if (cpu.missed > 0.06 * cpu.used) {
      assertTrue(collapsed.err().contains(missing), collapsed.err());
    }
    if (collapsed.exit() == 0 && cpu.missed > 0.06 * cpu.used) {
      Path page = directory.resolve("short.html");
      assertEquals(0, jvm.commandLine(directory, "flamegraph", recording.toString()).exit());
      assertTrue(Files.readString(page).contains(missing), "in the flame graph");
    }
  }

  /** It ends before anything can be written: an engine runs then, but its samples are lost. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void aProgramThatEndsAtOnceHasUsedCpuTimeToo(Jvm jvm) throws Exception {
    Path recording = directory.resolve("shortest.jfr");
    long main = used(record(jvm, recording, 250));
    Cpu cpu = Cpu.of(recording);
    assertTrue(cpu.used >= main - SECOND / 20, cpu::toString); // ticks of the kernel
    assertTrue(cpu.covered <= cpu.used - cpu.missed + SECOND / 10, cpu::toString);
  }

  /** Whoever looks at a graph of so few samples is told. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void fewSamplesAreSaidToBeFew(Jvm jvm) throws Exception {
    Path recording = directory.resolve("few.jfr");
    record(jvm, recording, 2_000, "+stackweave.NativeSample#interval=200ms");
    Ended collapsed = jvm.commandLine(directory, "collapsed", recording.toString());
    if (collapsed.exit() == 2) { // a thread's first sample comes at a random moment
      assertTrue(collapsed.err().contains("holds no samples"), collapsed.err());
      return;
    }
    assertTrue(
        collapsed.err().matches("(?s).*: \\d{1,2} samples? only: shares are rough\\n.*"),
        collapsed.err());
    assertEquals(0, jvm.commandLine(directory, "flamegraph", recording.toString()).exit());
    String page = Files.readString(directory.resolve("few.html"));
    assertTrue(page.contains(" only: shares are rough"), "in the flame graph");
  }

  /** Nobody asks before the first recording, nor between two. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void whatIsUsedWhileNobodyAsksIsNotMissed(Jvm jvm) throws Exception {
    List<String> arguments =
        List.of("-javaagent:" + Jars.AGENT, "-cp", Jars.apps().toString(), Works.class.getName());
    try (LiveJvm live = LiveJvm.start(jvm, directory, arguments, new ArrayList<>())) {
      Thread.sleep(1_500); // dormant, with a thread at work
      for (String name : new String[] {"one", "two"}) {
        long before = cpu(live.pid());
        live.jcmd(jvm, directory, "JFR.start", "name=" + name, "filename=" + name + ".jfr");
        live.awaitStatus(
            "sampling", status -> status.startsWith("state: sampling for recording " + name));
        live.awaitSamples((int) LiveJvm.samples(live.status()) + 20);
        live.jcmd(jvm, directory, "JFR.stop", "name=" + name);
        long after = cpu(live.pid());
        live.awaitStatus("rest", status -> status.contains("dormant"));
        Cpu cpu = Cpu.of(directory.resolve(name + ".jfr"));
        System.out.printf(
            "%s, %s: %.2f s of CPU time; recorded %.2f s used, %.2f s missed%n",
            jvm, name, (after - before) / 1e9, cpu.used / 1e9, cpu.missed / 1e9);
        assertTrue(cpu.used <= after - before + SECOND / 10, cpu::toString);
        assertTrue(cpu.missed >= 0 && cpu.missed < cpu.used, cpu::toString);
        Thread.sleep(1_500);
      }
    }
  }

  /** What it asked for in vain is said, too, and is all of it. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void whileItIsSwitchedOffAllIsMissed(Jvm jvm) throws Exception {
    Path recording = directory.resolve("off.jfr");
    Path off = Files.createFile(directory.resolve("off"));
    List<String> arguments =
        List.of(
            "-javaagent:" + Jars.AGENT + "=switch=" + off,
            "-XX:StartFlightRecording:filename=" + recording,
            "-cp",
            Jars.apps().toString(),
            BurnsAndTells.class.getName(),
            "1500");
    Ended result = jvm.run(directory, arguments);
    long main = used(result);
    Cpu cpu = Cpu.of(recording);
    assertTrue(cpu.used >= main, cpu::toString);
    assertEquals(cpu.used, cpu.missed);
    assertFalse(cpu.statuses.isEmpty());
    Ended collapsed = jvm.commandLine(directory, "collapsed", recording.toString());
    assertTrue(
        collapsed.err().contains("sampling has not begun; ")
            && collapsed.err().contains("switched off by"),
        collapsed.err());
  }

  private Ended record(Jvm jvm, Path recording, int millis, String... settings) throws Exception {
    StringBuilder start = new StringBuilder("-XX:StartFlightRecording:filename=" + recording);
    for (String setting : settings) {
      start.append(',').append(setting);
    }
    Ended result =
        jvm.run(
            directory,
            List.of(
                "-javaagent:" + Jars.AGENT,
                start.toString(),
                "-cp",
                Jars.apps().toString(),
                BurnsAndTells.class.getName(),
                Integer.toString(millis)));
    assertEquals(0, result.exit(), result.err());
    return result;
  }

  /** What main says that it used, after the JVM's lines about the recording. */
  private static long used(Ended result) {
    String[] lines = result.out().strip().split("\n");
    return Long.parseLong(lines[lines.length - 1]);
  }

  private static long cpu(long pid) throws Exception {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * 10_000_000L;
  }
}
