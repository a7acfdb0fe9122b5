package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.Works;
import stackweave.testing.Ended;

/** More of the CPU time that is missing. */
@Order(7)
class MissedCpuMoreIT extends CpuAccount {
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
        jvm, main / 1e9, cpu.used() / 1e9, cpu.missed() / 1e9, cpu.covered() / 1e9);
    // Main began after the recording did, and the recording ends after main.
    assertTrue(cpu.used() >= main, cpu::toString);
    assertTrue(cpu.used() < main + 120 * SECOND, cpu::toString);
    assertTrue(cpu.missed() > 0 && cpu.missed() <= cpu.used(), cpu::toString);
    assertTrue(cpu.covered() <= 1.1 * (cpu.used() - cpu.missed()) + 0.1 * SECOND, cpu::toString);
    String missing = "s of CPU time used while it did not run are missing";
    Ended collapsed = jvm.commandLine(directory, "collapsed", recording.toString());
    if (cpu.missed() > 0.06 * cpu.used()) {
      assertTrue(collapsed.err().contains(missing), collapsed.err());
    }
    if (collapsed.exit() == 0 && cpu.missed() > 0.06 * cpu.used()) {
      Path page = directory.resolve("short.html");
      assertEquals(0, jvm.commandLine(directory, "flamegraph", recording.toString()).exit());
      assertTrue(Files.readString(page).contains(missing), "in the flame graph");
    }
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
            jvm, name, (after - before) / 1e9, cpu.used() / 1e9, cpu.missed() / 1e9);
        assertTrue(cpu.used() <= after - before + SECOND / 10, cpu::toString);
        assertTrue(cpu.missed() >= 0 && cpu.missed() < cpu.used(), cpu::toString);
        Thread.sleep(1_500);
      }
    }
  }
}
