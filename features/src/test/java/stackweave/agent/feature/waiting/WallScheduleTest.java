package stackweave.agent.feature.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import stackweave.agent.feature.waiting.WallSchedule.Group;

/** Which threads are looked at where there are more than can be paid for. */
class WallScheduleTest {
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1_000 * MILLISECOND;
  private static final long INTERVAL = 20 * MILLISECOND;

  private final ThreadTable<WallThread> threads = new ThreadTable<>();
  private final WallSchedule schedule = new WallSchedule(threads, INTERVAL);

  private WallThread add(int tid, long now, boolean isActive) {
    WallThread t = new WallThread(tid);
    threads.add(t);
    t.reset(0, 0, now);
    t.kind = WallThread.Kind.WATCHED;
    if (isActive) {
      t.ranAt = now;
    }
    return t;
  }

  /** A pass may cost three looks; one at an active thread costs as much as one at another. */
  @Test
  void halfOfWhatLooksCostIsForThreadsThatRun() {
    long now = 0;
    for (int n = 0; n < 10_000; n++) {
      add(1_000 + n, now, n % 1_250 == 0);
    }
    int[] looks = new int[10_000];
    for (int pass = 0; pass < 4_000; pass++) {
      now += INTERVAL;
      int left = 3;
      Group group = schedule.first();
      for (int turn = 0; turn < 2 && left > 0; turn++, group = group.other()) {
        schedule.walk(group);
        for (WallThread t = schedule.next(now); t != null; t = schedule.next(now)) {
          looks[t.position]++;
          t.due = now + INTERVAL;
          t.ranAt = t.position % 1_250 == 0 ? now : t.ranAt;
          schedule.spent(group, 1);
          if (--left == 0) {
            schedule.stop();
            break;
          }
        }
      }
    }
    int active = 0;
    int leastActive = Integer.MAX_VALUE;
    int others = 0;
    int mostOfOthers = 0;
    for (int i = 0; i < looks.length; i++) {
      if (i % 1_250 == 0) {
        active += looks[i];
        leastActive = Math.min(leastActive, looks[i]);
      } else {
        others += looks[i];
        mostOfOthers = Math.max(mostOfOthers, looks[i]);
      }
    }
    assertEquals(3 * 4_000, active + others);
    assertEquals(active, others, 10);
    assertTrue(leastActive > active / 8 - 20, leastActive + " of " + active);
    assertTrue(mostOfOthers <= 2, "in turn, not one twice before the others: " + mostOfOthers);
  }

  @Test
  void whoCanBePaidForIsServedInEachPass() {
    long now = 0;
    WallThread active = add(1, now, true);
    WallThread idle = add(2, now, false);
    schedule.spent(Group.ACTIVE, SECOND);
    schedule.allServed();
    for (int pass = 0; pass < 10; pass++) {
      now += INTERVAL;
      schedule.walk(Group.ACTIVE);
      assertEquals(active, schedule.next(now));
      assertNull(schedule.next(now));
      schedule.walk(Group.OTHER);
      assertEquals(idle, schedule.next(now));
      assertNull(schedule.next(now));
      active.ranAt = now;
    }
    active.due = now + 2 * INTERVAL;
    idle.due = now + 2 * INTERVAL;
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
