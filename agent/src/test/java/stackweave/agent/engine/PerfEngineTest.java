package stackweave.agent.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PerfEngineTest {
  private static final long MILLISECOND = 1_000_000;

  @ParameterizedTest
  @EnumSource
  void threadsHaveSamplesByTheirShareOfTheCpu(EngineKind kind) throws Exception {
    Burner long1 = new Burner("long", 900 * MILLISECOND);
    Burner short1 = new Burner("short", 300 * MILLISECOND);
    Recorder recorder =
        Recorder.record(
            new EngineConfig(2 * MILLISECOND, EngineConfig.MAX_STACK_BYTES, kind),
            () -> {
              long1.start();
              short1.start();
              long1.join();
              short1.join();
            });

    assertEquals(kind, recorder.choice.engine().orElseThrow().kind());
    for (Burner burner : new Burner[] {long1, short1}) {
      long covered =
          recorder.samples.stream()
              .filter(sample -> sample.tid() == burner.tid)
              .mapToLong(Recorder.Sample::weight)
              .sum();
      double share = (double) covered / burner.used;
      assertTrue(share > 0.95 && share < 1.05, burner.getName() + " covered " + share);
    }
    EngineStatistics statistics = recorder.statistics;
    assertEquals(recorder.samples.size(), statistics.samples());
    assertEquals(recorder.samples.size() * 2 * MILLISECOND, statistics.cpuCoveredNanos());
    double counted = (double) statistics.cpuCountedNanos() / statistics.cpuUsedNanos();
    assertTrue(counted > 0.95 && counted < 1.05, "counted of used: " + counted);
  }
}
