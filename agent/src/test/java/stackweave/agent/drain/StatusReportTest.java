package stackweave.agent.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import stackweave.agent.engine.EngineKind;
import stackweave.agent.engine.EngineStatistics;

/** What a person is told of how sampling goes. */
class StatusReportTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void theKernelsShareIsSaidWhereItIsNotSampled() {
    SamplerTotals totals = new SamplerTotals();
    totals.engine = "perf-user";
    assertTrue(
        StatusReport.lines(totals.values(statistics(10 * SECOND, 0))).stream()
            .noneMatch(line -> line.startsWith("kernel:")));

    List<String> lines =
        StatusReport.lines(totals.values(statistics(10 * SECOND, 31 * SECOND / 10)));
    assertTrue(
        lines.contains(
            "kernel: about 31 % of the CPU time is spent in the kernel and not sampled"
                + " (perf-user)"),
        lines::toString);
  }

  @Test
  void aStartThatTookLongOrThatNoSampleFollowedIsSaid() {
    SamplerTotals totals = new SamplerTotals();
    totals.counts.taken = 1;
    totals.startDelayNanos = 400_000_000L;
    assertEquals(List.of(), starts(totals));
    totals.startDelayNanos = 4_200_000_000L;
    List<String> late = List.of("start: samples are taken from 4.2 s after they were asked for");
    assertEquals(late, starts(totals));
    totals.startDelayNanos = 400_000_000L;
    totals.counts.taken = 0;
    List<String> none = List.of("start: samples are taken from 0.4 s after they were asked for");
    assertEquals(none, starts(totals));
  }

  private static List<String> starts(SamplerTotals totals) {
    return StatusReport.lines(totals.values(statistics(SECOND, 0))).stream()
        .filter(line -> line.startsWith("start:"))
        .toList();
  }

  /** Of engines that ran before, too: each counts from its own beginning. */
  @Test
  void theShareIsThatOfAllEngines() {
    SamplerTotals totals = new SamplerTotals();
    totals.add(statistics(10 * SECOND, 2 * SECOND));
    assertEquals(5 * SECOND, totals.values(statistics(5 * SECOND, 3 * SECOND)).cpuKernelNanos());
    assertEquals(2 * SECOND, totals.values(null).cpuKernelNanos());
  }

  private static EngineStatistics statistics(long used, long kernel) {
    return new EngineStatistics(
        EngineKind.PERF_USER,
        10_000_000,
        5,
        2,
        13,
        524_288,
        24_160,
        100,
        0,
        0,
        0,
        0,
        0,
        0,
        used,
        used,
        SECOND,
        0,
        kernel,
        0,
        0,
        0);
  }
}
