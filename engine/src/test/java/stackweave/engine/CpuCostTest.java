package stackweave.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CpuCostTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void littleIsNotSaid() {
    assertEquals("", CpuCost.note("probes", SECOND / 10, SECOND));
    assertEquals("", CpuCost.note("probes", 0, 0));
  }

  @Test
  void muchIsSaid() {
    assertEquals(
        "probes are estimated to take 23 % of the process's CPU time",
        CpuCost.note("probes", 0.23 * SECOND, SECOND));
    assertEquals(
        "probes are estimated to take 100 % of the process's CPU time",
        CpuCost.note("probes", 3 * SECOND, SECOND));
  }
}
