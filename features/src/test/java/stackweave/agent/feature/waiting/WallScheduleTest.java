package stackweave.agent.feature.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import stackweave.agent.feature.waiting.WallSchedule.Group;

/** Which threads are looked at where there are more than can be paid for. */
class WallScheduleTest {
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1_000 * MILLISECOND;
  private static final long INTERVAL = 20 * MILLISECOND;

  private final WallThreads threads = new WallThreads();
  private final WallSchedule schedule = new WallSchedule(threads, INTERVAL);

  private int add(int tid, long now, boolean isActive) {
    int i = threads.list(tid);
    threads.reset(i, 0, 0, now);
    threads.setKind(i, WallThreads.WATCHED);
    if (isActive) {
      threads.ranAt[i] = now;
    }
    return i;
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
        for (int i = schedule.next(now); i >= 0; i = schedule.next(now)) {
          looks[i]++;
          threads.due[i] = now + INTERVAL;
          threads.ranAt[i] = i % 1_250 == 0 ? now : threads.ranAt[i];
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
    int active = add(1, now, true);
    int idle = add(2, now, false);
    schedule.spent(Group.ACTIVE, SECOND);
    schedule.allServed();
    for (int pass = 0; pass < 10; pass++) {
      now += INTERVAL;
      schedule.walk(Group.ACTIVE);
      assertEquals(active, schedule.next(now));
      assertEquals(-1, schedule.next(now));
      schedule.walk(Group.OTHER);
      assertEquals(idle, schedule.next(now));
      assertEquals(-1, schedule.next(now));
      threads.ranAt[active] = now;
    }
    threads.due[active] = now + 2 * INTERVAL;
    threads.due[idle] = now + 2 * INTERVAL;
    assertTrue(!schedule.isAnyDue(now + INTERVAL) && schedule.isAnyDue(now + 2 * INTERVAL));
  }

  @Test
  void aThreadThatRestsIsLookedAtLessOften() {
    add(1, 0, false);
    assertTrue(schedule.restPause(80 * SECOND) <= SECOND);
    assertTrue(schedule.restPause(80 * MILLISECOND) >= 10 * MILLISECOND);
    assertTrue(schedule.restPause(80 * MILLISECOND) <= 20 * MILLISECOND);
    for (int n = 0; n < 10_000; n++) {
      add(10 + n, 0, false);
    }
    assertTrue(schedule.restPause(80 * SECOND) == 10 * SECOND);
    assertTrue(schedule.restPause(80 * MILLISECOND) >= 40 * MILLISECOND);
  }
}
