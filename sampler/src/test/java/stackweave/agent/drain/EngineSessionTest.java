package stackweave.agent.drain;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class EngineSessionTest {
  private static final long SECOND = 1_000_000_000L;

  /** On an emulated processor a JVM takes ten seconds to start, and this thread a tenth of one. */
  @Test
  void aProcessIsYoungByTheMeasureOfItsMachine() {
    assertTrue(EngineSession.isYoung(4 * SECOND, SECOND / 150));
    assertFalse(EngineSession.isYoung(6 * SECOND, SECOND / 150));
    assertTrue(EngineSession.isYoung(12 * SECOND, SECOND / 10));
    assertFalse(EngineSession.isYoung(61 * SECOND, 1_000 * SECOND));
  }
}
