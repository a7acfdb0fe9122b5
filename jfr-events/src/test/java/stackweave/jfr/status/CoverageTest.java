package stackweave.jfr.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CoverageTest {
  private static final long MILLI = 1_000_000L;

  @Test
  void inWords() {
    assertEquals(
        "sampling began 1.7 s after the recording; 1.9 s of CPU time used while it did not run are"
            + " missing (86 %)",
        new Coverage(2_210 * MILLI, 10 * MILLI, 1_900 * MILLI, 1_700 * MILLI).missed());
    assertEquals(
        "sampling began 0.31 s after the recording; 0.25 s of CPU time used while it did not run are"
            + " missing (1 %)",
        new Coverage(20_000 * MILLI, 19_700 * MILLI, 250 * MILLI, 310 * MILLI).missed());
    assertEquals(
        "sampling has not begun; 2.2 s of CPU time used while it did not run are missing (100 %)",
        new Coverage(2_200 * MILLI, 0, 2_200 * MILLI, 0).missed());
    assertEquals(
        "sampling has stopped; 0.42 s of CPU time used while it did not run are missing (25 %)",
        new Coverage(1_700 * MILLI, 1_200 * MILLI, 420 * MILLI, 0).missed());
  }

  /** A recording that begins while samples are taken already. */
  @Test
  void whereNothingWasMissedNothingIsSaid() {
    assertEquals("", new Coverage(2_000 * MILLI, 1_990 * MILLI, 0, 1_700 * MILLI).missed());
    // From the last sample to the program's end, as a share and as a time.
    assertEquals("", new Coverage(2_000 * MILLI, 1_991 * MILLI, 9 * MILLI, 0).missed());
    assertEquals("", new Coverage(5 * MILLI, 4 * MILLI, MILLI, 0).missed());
  }

  @Test
  void itIsMissedBeforeOrAfterTheSamples() {
    assertTrue(new Coverage(1_000, 900, 100, 0).isAtEnd());
    assertFalse(new Coverage(1_000, 900, 100, 10).isAtEnd());
    assertFalse(new Coverage(1_000, 0, 1_000, 0).isAtEnd());
  }

  @Test
  void howMuchIsMuch() {
    assertTrue(new Coverage(1_000, 940, 51, 1).isMuchMissed());
    assertFalse(new Coverage(1_000, 940, 50, 1).isMuchMissed());
    assertFalse(new Coverage(0, 0, 0, 0).isMuchMissed());
    assertTrue(new Coverage(1_000, 949, 0, 1).isPoor());
    assertFalse(new Coverage(1_000, 950, 0, 1).isPoor());
    assertFalse(new Coverage(0, 0, 0, 0).isPoor());
  }
}
