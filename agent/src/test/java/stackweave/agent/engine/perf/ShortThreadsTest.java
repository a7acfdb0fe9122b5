package stackweave.agent.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** When threads count as short, which of their samples are kept, and who has inherited. */
class ShortThreadsTest {
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1000 * MILLISECOND;
  private static final long INTERVAL = 10 * MILLISECOND;

  private final ShortThreads threads = new ShortThreads(INTERVAL, 0);

  @Test
  void threadsThatEndOftenAreNoticedWithinATenthOfASecond() {
    for (int i = 0; i < 10; i++) {
      threads.ended();
    }
    assertTrue(threads.areAtWork(100 * MILLISECOND, 0));
    for (long now = 150 * MILLISECOND; now < 13 * SECOND; now += 50 * MILLISECOND) {
      boolean atWork = threads.areAtWork(now, 0);
      assertTrue(atWork || now > 10 * SECOND, "they may come again");
      assertTrue(!atWork || now < 12 * SECOND, "they don't come any more");
    }
  }

  @Test
  void whatEndsNowAndThenIsTolerated() {
    long now = 0;
    for (int second = 0; second < 30; second++) {
      threads.ended();
      threads.ended();
      threads.ended();
      now += SECOND;
      assertFalse(threads.areAtWork(now, 0), "after " + second + " s");
    }
  }

  /** 40 ends a second are half a percent of 40 busy CPUs, and 20 % of one. */
  @Test
  void itIsTheShareThatCounts() {
    for (int cpus : new int[] {40, 1}) {
      ShortThreads of = new ShortThreads(INTERVAL, 0);
      boolean noticed = false;
      for (long now = 50 * MILLISECOND; now < 5 * SECOND; now += 50 * MILLISECOND) {
        of.ended();
        of.ended();
        noticed |= of.areAtWork(now, cpus * now);
      }
      assertEquals(cpus == 1, noticed, cpus + " CPUs");
    }
  }

  @Test
  void shortIntervalsNeedNoneOfIt() {
    ShortThreads of = new ShortThreads(MILLISECOND / 2, 0);
    for (int i = 0; i < 1000; i++) {
      of.ended();
    }
    assertFalse(of.areAtWork(100 * MILLISECOND, 0));
    assertEquals(MILLISECOND / 2, PerfShortEvents.meanNanos(MILLISECOND / 2));
  }

  /** Two threads that take turns exactly: a rule that took every tenth sample would see but one. */
  @Test
  void whatIsKeptWeighsWhatCameAndEachHasItsShare() {
    PerfThinning thinning = new PerfThinning(INTERVAL, 12345);
    long[] kept = new long[3];
    long[] came = new long[3];
    for (int i = 0; i < 300_000; i++) {
      int who = i % 2 == 0 ? 0 : i % 10 == 1 ? 1 : 2;
      long nanos = who == 1 ? 1_300_000 : 900_000;
      came[who] += nanos;
      long weight = thinning.weigh(nanos);
      assertEquals(0, weight % INTERVAL);
      kept[who] += weight;
    }
    assertEquals(came[0] + came[1] + came[2], kept[0] + kept[1] + kept[2], 2.0 * INTERVAL);
    for (int who = 0; who < 3; who++) {
      assertEquals(1, (double) kept[who] / came[who], 0.05, "kept of " + who);
    }
  }

  /** Many threads come and go, against a plain map. */
  @Test
  void heirsAgreeWithAMap() {
    Random random = new Random(5);
    InheritedEvents table = new InheritedEvents();
    Map<Integer, Long> expected = new HashMap<>();
    for (int i = 0; i < 300_000; i++) {
      int tid = 1 + random.nextInt(6000);
      assertEquals(
          expected.getOrDefault(tid, InheritedEvents.NEVER), table.since(tid), "step " + i);
      if (random.nextInt(3) == 0) {
        table.remove(tid);
        expected.remove(tid);
      } else {
        table.put(tid, i);
        expected.put(tid, (long) i);
      }
    }
    table.clear();
    assertEquals(InheritedEvents.NEVER, table.since(expected.keySet().iterator().next()));
  }
}
