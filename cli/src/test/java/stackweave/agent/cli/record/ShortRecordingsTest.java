package stackweave.agent.cli.record;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** How many JVMs that end soon are recorded. */
class ShortRecordingsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int USER = 1000;
  private static final int OTHER = 1001;

  private final ShortRecordings limit = new ShortRecordings(0);

  @Test
  void oneUserHasSixtyAtOnceAndThenOneInTenSeconds() {
    for (int i = 0; i < 60; i++) {
      assertTrue(limit.allow(USER, SECOND), "the recording " + i);
      limit.ended(USER, 9 * SECOND);
    }
    assertFalse(limit.allow(USER, 9 * SECOND));
    assertTrue(limit.allow(OTHER, 9 * SECOND));
    int begun = 0;
    for (int second = 10; second < 110; second++) {
      if (limit.allow(USER, second * SECOND)) {
        begun++;
        limit.ended(USER, SECOND / 2);
      }
    }
    assertTrue(begun == 10, begun + " in 100 seconds");
    assertTrue(limit.allow(USER, 10_000 * SECOND));
  }

  @Test
  void longOnesDoNotCount() {
    for (int i = 0; i < 1_000; i++) {
      limit.ended(USER, 10 * SECOND);
    }
    assertTrue(limit.allow(USER, 0));
  }
}
