package stackweave.agent.feature.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LookDelayTest {
  private static final long THRESHOLD = 5_000_000L;
  private static final long BEGIN = Long.MAX_VALUE - LookDelay.ADJUST_NANOS;

  @Test
  void growsWhileLooksArePutOffAndShrinksAgain() {
    LookDelay delay = new LookDelay(THRESHOLD, BEGIN);
    long now = BEGIN;
    for (int i = 0; i < 20; i++) {
      delay.putOff();
      now += LookDelay.ADJUST_NANOS; // over the largest number
      delay.adjust(now);
    }
    assertEquals(LookDelay.MAX_NANOS, delay.nanos());
    for (int i = 0; i < 40; i++) {
      now += LookDelay.ADJUST_NANOS;
      delay.adjust(now);
    }
    assertEquals(THRESHOLD, delay.nanos());
  }

  @Test
  void changesNowAndThenOnly() {
    LookDelay delay = new LookDelay(THRESHOLD, 0);
    delay.putOff();
    delay.adjust(LookDelay.ADJUST_NANOS - 1);
    assertEquals(THRESHOLD, delay.nanos());
    delay.adjust(LookDelay.ADJUST_NANOS);
    assertTrue(delay.nanos() > THRESHOLD);
  }

  @Test
  void neverBelowAThresholdAboveItsOwnMost() {
    long threshold = 60_000_000_000L;
    LookDelay delay = new LookDelay(threshold, 0);
    delay.putOff();
    delay.adjust(LookDelay.ADJUST_NANOS);
    assertEquals(threshold, delay.nanos());
  }

  /** Of blocks of all lengths it comes to rest where as many are due as can be paid for. */
  @Test
  void theLongestAreSeen() {
    LookDelay delay = new LookDelay(THRESHOLD, 0);
    long now = 0;
    double looks = 0;
    for (int i = 0; i < 200; i++) {
      now += LookDelay.ADJUST_NANOS;
      // So many blocks of half a second are longer than n ms: 5,000 / n.
      double due = 5_000 / (delay.nanos() / 1e6);
      double paid = Math.min(due, 50);
      looks += i < 100 ? 0 : paid;
      if (due > paid) {
        delay.putOff();
      }
      delay.adjust(now);
    }
    assertTrue(delay.nanos() > 60_000_000L && delay.nanos() < 160_000_000L, "" + delay.nanos());
    assertTrue(looks > 0.8 * 100 * 50, "of 5,000 that could be paid for: " + looks);
  }
}
