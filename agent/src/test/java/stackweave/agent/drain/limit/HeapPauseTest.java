package stackweave.agent.drain.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HeapPauseTest {
  private static final long SECOND = 1_000_000_000L;

  private final HeapPause pause = new HeapPause();
  private long now = -7 * SECOND; // nanoTime may be negative

  /** How long it has to be waited for after an end, in seconds. */
  private long waited() {
    pause.begun(now);
    now += SECOND;
    pause.ended(now);
    return waitedSince(now);
  }

  private long waitedSince(long ended) {
    while (!pause.isOver(now)) {
      now += SECOND;
    }
    return (now - ended) / SECOND;
  }

  @Test
  void nothingIsWaitedForAtFirst() {
    assertTrue(pause.isOver(now));
  }

  @Test
  void eachPauseIsTwiceAsLongUpToALimit() {
    for (long seconds : new long[] {5, 10, 20, 40, 80, 160, 320, 320}) {
      assertEquals(seconds, waited());
    }
  }

  @Test
  void whatHasRunForLongBeginsAnew() {
    waited();
    waited();
    pause.begun(now);
    now += 100 * SECOND;
    pause.begun(now); // another engine: the same run
    now += 100 * SECOND;
    pause.ended(now);
    assertFalse(pause.isOver(now));
    assertEquals(5, waitedSince(now));
  }
}
