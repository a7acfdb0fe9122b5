package stackweave.jfr.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

class SampledProcessTest {
  private static final long TICK = 10_000_000L;

  @Test
  void isWhatTheJdkSaysToo() {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long used = system.getProcessCpuTime();
    while (system.getProcessCpuTime() - used < 100_000_000L) {
      Math.sqrt(used);
    }
    long before = system.getProcessCpuTime();
    long own = SampledProcess.OWN.cpuNanos();
    long after = system.getProcessCpuTime();
    // Each of both times is cut to a tick, here and where the JDK has it from.
    assertTrue(own >= before - 2 * TICK && own <= after + 2 * TICK, before + " " + own);
  }

  @Test
  void saysWhatTheJdkSaysOfIdAndStart() {
    long pid = ProcessHandle.current().pid();
    long start = ProcessHandle.current().info().startInstant().orElseThrow().toEpochMilli();
    for (SampledProcess process : List.of(SampledProcess.OWN, SampledProcess.other((int) pid))) {
      assertEquals(pid, process.pid());
      assertEquals(pid, process.innermostPid());
      assertTrue(Math.abs(start - process.startMillis()) <= TICK / 1_000_000);
    }
  }

  /** A program names its first thread as it likes. */
  @Test
  void aNameMayHoldAnything() {
    String stat = "7 (a) R 1 ) 9 (b)) S 1 7 7 0 -1 4194304 100 2 3 4 1234 56 8 9 20 0 1 0 149293";
    assertEquals((1234 + 56) * TICK, SampledProcess.cpuNanos(stat));
  }

  @Test
  void whatIsCutShortIsUnknown() {
    assertEquals(
        SampledProcess.UNKNOWN,
        SampledProcess.cpuNanos("7 (a) S 1 7 7 0 -1 4194304 100 2 3 4 1234 56"));
    assertEquals(SampledProcess.UNKNOWN, SampledProcess.cpuNanos(""));
  }
}
