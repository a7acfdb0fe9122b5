package stackweave.engine.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class AllocationProbesTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void fewCallsAreNotTooMany() {
    assertEquals("", AllocationProbes.tooMany(19_000, SECOND, SECOND, 1_000, 1));
    assertEquals("", AllocationProbes.tooMany(1_900, SECOND, SECOND / 100, 20_000, 1));
  }

  @Test
  void callsAreTooManyByTheirRate() {
    assertTrue(
        AllocationProbes.tooMany(21_000, SECOND, 8 * SECOND, 1_000, 1).contains("21,000 times"));
    assertEquals("", AllocationProbes.tooMany(21_000, SECOND, 8 * SECOND, 1_000, 5));
  }

  /** A thread that calls malloc alone got a tenth of a core: 17 µs of each call were the probe. */
  @Test
  void callsThatProbesSlowDownAreTooManyThoughTheySeemFew() {
    String said = AllocationProbes.tooMany(4_800, SECOND, 125_000_000, 17_000, 1);
    assertTrue(said.contains("17.0 µs on this machine: 65 % of the process's CPU time"), said);
  }
}
