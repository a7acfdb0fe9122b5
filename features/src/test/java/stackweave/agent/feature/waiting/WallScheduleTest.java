package stackweave.agent.feature.waiting;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Which threads are looked at where there are more than can be paid for. */
class WallScheduleTest {
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1_000 * MILLISECOND;
  private static final long INTERVAL = 20 * MILLISECOND;

  private final KnownThreads<WallThread> threads = new KnownThreads<>();
  private final WallSchedule schedule = new WallSchedule(threads, INTERVAL);

  private WallThread add(int tid, long now) {
    WallThread t = new WallThread(tid);
    threads.add(t);
    t.reset(0, 0, now);
    t.kind = WallThread.Kind.WATCHED;
    return t;
  }

  /** A pass may cost three looks, and all threads are due. */
  @Test
  void allAreLookedAtInTurn() {
    long now = 0;
    for (int n = 0; n < 10_000; n++) {
      add(1_000 + n, now);
    }
    int[] looks = new int[10_000];
    for (int pass = 0; pass < 4_000; pass++) {
      now += INTERVAL;
      schedule.walk();
      for (int left = 3; left > 0; left--) {
        WallThread t = schedule.next(now);
        looks[t.position]++;
        t.due = now + INTERVAL;
      }
      schedule.stop();
    }
    int most = 0;
    int least = Integer.MAX_VALUE;
    for (int count : looks) {
      most = Math.max(most, count);
      least = Math.min(least, count);
    }
    assertTrue(least >= 1 && most <= 2, "in turn, not one twice before the others: " + most);
  }

  @Test
  void whoCanBePaidForIsServedInEachPass() {
    long now = 0;
    WallThread one = add(1, now);
    WallThread other = add(2, now);
    for (int pass = 0; pass < 10; pass++) {
      now += INTERVAL;
      schedule.walk();
      WallThread first = schedule.next(now);
      WallThread second = schedule.next(now);
      assertTrue(first == one && second == other || first == other && second == one);
      assertNull(schedule.next(now));
    }
    one.due = now + 2 * INTERVAL;
    other.due = now + 2 * INTERVAL;
    assertTrue(!schedule.isAnyDue(now + INTERVAL) && schedule.isAnyDue(now + 2 * INTERVAL));
  }

  @Test
  void aThreadThatRestsIsLookedAtLessOften() {
    assertTrue(schedule.restPause(80 * SECOND, 1) <= SECOND);
    assertTrue(schedule.restPause(80 * MILLISECOND, 1) >= 10 * MILLISECOND);
    assertTrue(schedule.restPause(80 * MILLISECOND, 1) <= 20 * MILLISECOND);
    assertTrue(schedule.restPause(80 * SECOND, 10_000) == 10 * SECOND);
    assertTrue(schedule.restPause(80 * MILLISECOND, 10_000) >= 40 * MILLISECOND);
  }
}
