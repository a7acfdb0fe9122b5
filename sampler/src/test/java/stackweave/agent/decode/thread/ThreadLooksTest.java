package stackweave.agent.decode.thread;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ThreadLooksTest {
  private static final long MS = 1_000_000;

  private final ThreadLooks looks = new ThreadLooks();

  @Test
  void theFirstIsDue() {
    assertTrue(looks.isDue(-5, false));
  }

  @Test
  void aStormOfUnknownThreadsIsLookedForOnce() {
    looks.done(0, MS / 10);
    assertFalse(looks.isDue(20 * MS, true));
    assertTrue(looks.isDue(21 * MS, true));
  }

  @Test
  void knownThreadsAreLookedForEveryFewSeconds() {
    looks.done(0, MS / 10);
    assertFalse(looks.isDue(2_000 * MS, false));
    assertTrue(looks.isDue(2_001 * MS, false));
  }

  /** A first look that took 80 ms on a busy machine left threads without names for 4 s. */
  @Test
  void oneSlowLookIsNoReasonToWaitLong() {
    looks.done(0, 80 * MS);
    assertTrue(looks.isDue(41 * MS, true));
  }

  @Test
  void slowLooksBecomeRare() {
    long now = 0;
    for (int i = 0; i < 20; i++) {
      looks.done(now, now + 80 * MS);
      now += 4_001 * MS;
    }
    assertFalse(looks.isDue(now - 2 * MS, true));
    assertTrue(looks.isDue(now, true));
    looks.done(now, now + MS / 10);
    assertTrue(looks.isDue(now + 21 * MS, true), "quick again");
    assertFalse(looks.isDue(now + 19 * MS, true));
  }
}
