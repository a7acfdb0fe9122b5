package stackweave.agent.drain.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineStatistics;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.status.Breakdown;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.SamplerFigures;

/** What a person is told of how sampling goes. */
class StatusReportTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void theKernelsShareIsSaidWhereItIsNotSampled() {
    SamplerTotals totals = new SamplerTotals();
    totals.engine = "perf-user";
    assertTrue(
        StatusReport.lines(totals.figures(statistics(10 * SECOND, 0))).stream()
            .noneMatch(line -> line.startsWith("kernel:")));

    List<String> lines =
        StatusReport.lines(totals.figures(statistics(10 * SECOND, 31 * SECOND / 10)));
    assertTrue(
        lines.contains(
            "kernel: about 31 % of the CPU time is spent in the kernel and not sampled"
                + " (perf-user)"),
        lines::toString);
  }

  @Test
  void whenSamplingBeganAndWhatIsMissingIsSaid() {
    SamplerTotals totals = new SamplerTotals();
    assertEquals(List.of(), starts(totals));
    totals.missedNanos = 3 * SECOND;
    assertEquals(
        List.of(
            "start: sampling has not begun; 3.0 s of CPU time used while it did not run are missing"
                + " (75 %)"),
        starts(totals, statistics(SECOND, 0).set(EngineFigure.CPU_COVERED, 0)));
    assertEquals(
        List.of(
            "end: sampling has stopped; 3.0 s of CPU time used while it did not run are missing"
                + " (75 %)"),
        starts(totals));
    totals.startDelayNanos = 4_200_000_000L;
    assertEquals(
        List.of(
            "start: sampling began 4.2 s after the recording; 3.0 s of CPU time used while it did"
                + " not run are missing (75 %)"),
        starts(totals));
  }

  @Test
  void theIntervalThatIsReachedIsSaid() {
    SamplerTotals totals = new SamplerTotals();
    totals.engine = "timer";
    totals.intervalNanos = 1_000_000;
    totals.reachedIntervalNanos = 1_000_000;
    assertEquals("interval: 1 ms of CPU time", interval(totals));
    totals.reachedIntervalNanos = 4_000_000;
    assertEquals("interval: asked 1 ms, about 4 ms of CPU time", interval(totals));
  }

  @Test
  void howBlockedThreadsAreTimedIsSaid() {
    Counters counters =
        new Counters()
            .set(Counter.BLOCKED_THRESHOLD, 5_000_000)
            .set(Counter.BLOCKED_WRITTEN, 57)
            .set(Counter.BLOCKED_UNSEEN, 9)
            .set(Counter.BLOCKED_LOST, 2)
            .set(Counter.BLOCKED_CPU, 50_000_000);
    SamplerFigures figures = new SamplerFigures("perf", "", "", counters, Map.of());
    assertTrue(
        StatusReport.lines(figures)
            .contains(
                "blocked: 57 times 5 ms or longer, 9 more ended before the look, 2 not followed, for"
                    + " records of switches were lost; 50 ms of CPU time"),
        () -> String.join("\n", StatusReport.lines(figures)));
    SamplerFigures without = new SamplerFigures("perf", "", "", new Counters(), Map.of());
    assertTrue(StatusReport.lines(without).stream().noneMatch(line -> line.startsWith("blocked:")));
  }

  @Test
  void howWaitingIsSampledIsSaid() {
    SamplerFigures without = new SamplerFigures("timer", "", "", new Counters(), Map.of());
    assertTrue(StatusReport.lines(without).stream().noneMatch(line -> line.startsWith("waiting:")));
    Counters counters =
        new Counters()
            .set(Counter.WALL_INTERVAL, 20_000_000)
            .set(Counter.WALL_THREADS, 40)
            .set(Counter.WALL_CAPTURED, 60)
            .set(Counter.WALL_WRITTEN, 57)
            .set(Counter.WALL_CPU, 50_000_000);
    SamplerFigures with = new SamplerFigures("timer", "", "", counters, Map.of());
    assertTrue(
        StatusReport.lines(with)
            .contains(
                "waiting: 57 samples, 40 threads looked at every 20 ms, 60 stacks read; 50 ms of CPU"
                    + " time"),
        () -> StatusReport.lines(with).toString());
  }

  @Test
  void whatTookNativeMemoryIsSaid() {
    Counters counters =
        new Counters()
            .set(Counter.MEMORY_TOUCHED, 70L << 20)
            .set(Counter.MEMORY_GIVEN_BACK, 30L << 20)
            .set(Counter.MEMORY_LOST, 7)
            .set(Counter.MEMORY_UNFOLLOWED, 6)
            .set(Counter.ALLOCATED, 50L << 20)
            .set(Counter.FREED, 20L << 20)
            .set(Counter.ALLOCATIONS_LOST, 3)
            .set(Counter.ALLOCATIONS_UNFOLLOWED, 2);
    List<String> lines = StatusReport.lines(new SamplerFigures("perf", "", "", counters, Map.of()));
    assertTrue(
        lines.contains(
            "native memory: 70 MiB touched first, 30 MiB of it given back, 7 page faults lost (no"
                + " room in their buffer), 6 pages not followed"),
        lines::toString);
    assertTrue(
        lines.contains(
            "native allocations: 50 MiB allocated, 20 MiB of it freed, 3 calls lost (no room in"
                + " their buffer), 2 blocks not followed"),
        lines::toString);
  }

  @Test
  void howMuchIsCoveredAndCompleteIsSaid() {
    Counters counters =
        new Counters()
            .set(Counter.TAKEN, 1_000)
            .set(Counter.WRITTEN, 900)
            .set(Counter.LOST, 60)
            .set(Counter.DROPPED, 30)
            .set(Counter.UNDECODABLE, 10)
            .set(Counter.CPU_USED, 20 * SECOND)
            .set(Counter.CPU_COVERED, 15 * SECOND)
            .set(Counter.DRAIN_CPU, SECOND / 2);
    Map<String, Long> ends = Map.of("complete", 850L, "truncated", 50L);
    List<String> lines =
        StatusReport.lines(
            new SamplerFigures("perf", "", "", counters, Map.of(Breakdown.ENDS, ends)));
    assertTrue(lines.contains("stacks: 850 complete (94.44 %), 50 truncated"), lines::toString);
    assertTrue(
        lines.contains(
            "CPU time: 20 s used, 15 s covered by samples (75.00 %); the sampling thread 0.5"
                + " s"),
        lines::toString);
  }

  /** As in the exports: what is not all of them is not rounded to that. */
  @Test
  void nearlyAllAreNotAll() {
    Map<String, Long> ends = Map.of("complete", 99_999L, "truncated", 1L);
    List<String> lines =
        StatusReport.lines(
            new SamplerFigures("perf", "", "", new Counters(), Map.of(Breakdown.ENDS, ends)));
    assertTrue(lines.contains("stacks: 99999 complete (99.99 %), 1 truncated"), lines::toString);
  }

  @Test
  void howManyEventsAreCoveredIsSaid() {
    Counters counters =
        new Counters()
            .set(Counter.EVENT_INTERVAL, 100)
            .set(Counter.EVENTS_COUNTED, 2_000)
            .set(Counter.EVENTS_COVERED, 1_900);
    List<String> lines = StatusReport.lines(new SamplerFigures("perf", "", "", counters, Map.of()));
    assertTrue(lines.contains("interval: 100 events, CPU time is not sampled"), lines::toString);
    assertTrue(
        lines.contains("events: 2000 counted by the kernel, 1900 covered by samples (95.00 %)"),
        lines::toString);
  }

  private static String interval(SamplerTotals totals) {
    return StatusReport.lines(totals.figures(statistics(SECOND, 0))).stream()
        .filter(line -> line.startsWith("interval:"))
        .findFirst()
        .orElse("");
  }

  private static List<String> starts(SamplerTotals totals) {
    return starts(totals, statistics(SECOND, 0));
  }

  private static List<String> starts(SamplerTotals totals, EngineStatistics statistics) {
    return StatusReport.lines(totals.figures(statistics)).stream()
        .filter(line -> line.matches("(start|end): .*"))
        .toList();
  }

  /** Of engines that ran before, too: each counts from its own beginning. */
  @Test
  void theShareIsThatOfAllEngines() {
    SamplerTotals totals = new SamplerTotals();
    totals.add(statistics(10 * SECOND, 2 * SECOND));
    assertEquals(
        5 * SECOND, totals.figures(statistics(5 * SECOND, 3 * SECOND)).get(Counter.CPU_KERNEL));
    assertEquals(2 * SECOND, totals.figures(null).get(Counter.CPU_KERNEL));
  }

  /** Those of timers are signals, and no samples. */
  @Test
  void samplesOfChildrenAreSaid() {
    SamplerTotals totals = new SamplerTotals();
    assertTrue(
        StatusReport.lines(totals.figures(statistics(EngineKind.PERF, SECOND, 0, 0))).stream()
            .noneMatch(line -> line.startsWith("foreign:")));
    totals.add(statistics(EngineKind.PERF, SECOND, 0, 40));
    totals.add(statistics(EngineKind.TIMER, SECOND, 0, 0).set(EngineFigure.FOREIGN_SIGNALS, 1_000));
    List<String> lines =
        StatusReport.lines(totals.figures(statistics(EngineKind.PERF_USER, SECOND, 0, 2)));
    assertTrue(
        lines.contains("foreign: 42 samples of other processes, discarded"), lines::toString);
  }

  @Test
  void theKernelsMemoryIsSaid() {
    List<String> lines =
        StatusReport.lines(new SamplerTotals().figures(statistics(EngineKind.PERF, SECOND, 0, 0)));
    assertTrue(
        lines.contains("kernel memory: about 1.5 MiB for events of threads"), lines::toString);
  }

  private static EngineStatistics statistics(long used, long kernel) {
    return statistics(EngineKind.PERF_USER, used, kernel, 0);
  }

  private static EngineStatistics statistics(
      EngineKind kind, long used, long kernel, long foreign) {
    return new EngineStatistics(kind)
        .set(EngineFigure.FOREIGN_SAMPLES, foreign)
        .set(EngineFigure.CPU_USED, used)
        .set(EngineFigure.CPU_COUNTED, used)
        .set(EngineFigure.CPU_COVERED, SECOND)
        .set(EngineFigure.CPU_KERNEL, kernel)
        .set(EngineFigure.KERNEL_MEMORY, 3L << 19)
        .set(EngineFigure.KERNEL_MEMORY_BUDGET, 64L << 20);
  }

  /** It is the difference of several clocks. */
  @Test
  void usedCpuTimeDoesNotGoBack() {
    SamplerTotals totals = new SamplerTotals();
    totals.missedNanos = 50;
    totals.publish(null);
    totals.missedNanos = 30;
    totals.publish(null);
    assertEquals(50, totals.latest().get(Counter.CPU_USED));
    totals.missedNanos = 70;
    totals.publish(null);
    assertEquals(70, totals.latest().get(Counter.CPU_USED));
  }
}
