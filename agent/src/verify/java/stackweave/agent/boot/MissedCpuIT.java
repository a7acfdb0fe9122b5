package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.BurnsAndTells;
import stackweave.testing.Ended;

/** What a recording says of the CPU time that has no samples, for sampling had not begun. */
@Order(7)
class MissedCpuIT extends CpuAccount {
  /** It ends before anything can be written: an engine runs then, but its samples are lost. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void aProgramThatEndsAtOnceHasUsedCpuTimeToo(Jvm jvm) throws Exception {
    Path recording = directory.resolve("shortest.jfr");
    long main = used(record(jvm, recording, 250));
    Cpu cpu = Cpu.of(recording);
    assertTrue(cpu.used() >= main - SECOND / 20, cpu::toString); // ticks of the kernel
    assertTrue(cpu.covered() <= cpu.used() - cpu.missed() + SECOND / 10, cpu::toString);
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
            "300");
    Ended result = jvm.run(directory, arguments);
    long main = used(result);
    Cpu cpu = Cpu.of(recording);
    assertTrue(cpu.used() >= main, cpu::toString);
    assertEquals(cpu.used(), cpu.missed());
    assertFalse(cpu.statuses().isEmpty());
    Ended collapsed = jvm.commandLine(directory, "collapsed", recording.toString());
    assertTrue(
        collapsed.err().contains("sampling has not begun; ")
            && collapsed.err().contains("switched off by"),
        collapsed.err());
  }
}
