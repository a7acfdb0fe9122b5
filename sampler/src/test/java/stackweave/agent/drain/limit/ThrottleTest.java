package stackweave.agent.drain.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The throttle against a thread whose clocks and costs are made up. */
class ThrottleTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long BATCH_NANOS = 5_000_000L;

  private final SplittableRandom random = new SplittableRandom(1);
  private long now = -3 * SECOND; // nanoTime may be negative
  private long cpu = 7 * SECOND;

  private double backlog;

  private final long[] weights = new long[3];
  private final long[] taken = new long[3];
  private long kept;
  private long debt;

  private Throttle throttle(int percent) {
    return new Throttle(percent, () -> cpu, () -> now, () -> backlog, random);
  }

  /** Samples of three threads, of which the first has half, come for a while. */
  private void load(Throttle throttle, double seconds, int perSecond, long cost, long idleCost) {
    long end = now + (long) (seconds * SECOND);
    while (now < end) {
      now += BATCH_NANOS;
      cpu += idleCost;
      debt += perSecond * BATCH_NANOS;
      for (; debt >= SECOND; debt -= SECOND) {
        int thread = Math.max(0, random.nextInt(4) - 1);
        taken[thread]++;
        if (throttle.keeps()) {
          kept++;
          weights[thread] += throttle.group();
          cpu += cost;
          now += cost;
          throttle.decoded(cost);
        }
      }
      throttle.settle();
    }
  }

  /** An engine has all that decodes its samples; the account outlives it. */
  @Test
  void anEndedEngineIsNotHeld() throws InterruptedException {
    byte[] engine = new byte[1 << 20];
    WeakReference<byte[]> reference = new WeakReference<>(engine);
    Throttle throttle = throttleOf(engine);
    engine = null;
    throttle.end();
    for (int i = 0; i < 1_000 && reference.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertNull(reference.get());
    throttle.goOnWith(() -> 0);
    assertEquals(1, throttle.group());
  }

  private Throttle throttleOf(byte[] engine) {
    return new Throttle(10, () -> cpu, () -> now, () -> engine.length, random);
  }

  /** An engine that ends and another that begins, again and again, get what one would. */
  @Test
  void anotherEngineGoesOnWithTheAccount() {
    Throttle throttle = throttle(10);
    long begin = cpu;
    long begunAt = now;
    for (int i = 0; i < 30; i++) {
      cpu += 300_000_000L; // to put the pipeline together
      now += 2 * SECOND;
      throttle.goOnWith(() -> backlog);
      load(throttle, 2, 1_000, 1_000_000, 50_000);
    }
    double cores = (double) (cpu - begin - Throttle.START_NANOS) / (now - begunAt);
    assertTrue(cores < 0.13, "it used " + cores + " of a core");
  }

  @Test
  void allAreKeptWithinTheShare() {
    Throttle throttle = throttle(10);
    load(throttle, 60, 200, 300_000, 50_000);
    assertEquals(1, throttle.oneIn());
    assertEquals(taken[0] + taken[1] + taken[2], kept);
    assertEquals("", throttle.note());
  }

  /** Cold: nothing is cached, the drain's own code is interpreted. */
  @Test
  void aColdStartIsNotThrottled() {
    Throttle throttle = throttle(10);
    load(throttle, 2, 2_000, 200_000, 0);
    assertEquals(taken[0] + taken[1] + taken[2], kept);
    load(throttle, 8, 2_000, 20_000, 0);
    assertEquals(taken[0] + taken[1] + taken[2], kept);
  }

  @ParameterizedTest
  @CsvSource({
    "10, 2000, 350000", // -Xint at 1 ms on two CPUs: seven tenths of a core
    "10, 400, 600000",
    "10, 20000, 100000",
    "1, 2000, 40000",
    "50, 2000, 900000",
  })
  void theShareIsKeptAndAllIsAccountedFor(int percent, int perSecond, long cost) {
    Throttle throttle = throttle(percent);
    load(throttle, 30, perSecond, cost, 0); // until what it began with is spent
    assertTrue(throttle.oneIn() > 1, "keeps one in " + throttle.oneIn());
    Arrays.fill(weights, 0);
    Arrays.fill(taken, 0);
    kept = 0;
    long cpuBefore = cpu;
    long before = now;
    load(throttle, 60, perSecond, cost, 0);
    double share = (double) (cpu - cpuBefore) / (now - before);
    assertTrue(share <= 0.01 * percent * 1.03, "used " + share);
    assertTrue(share >= 0.01 * percent * 0.6, "used no more than " + share);
    for (int i = 0; i < weights.length; i++) {
      // Of n samples 1 in k kept: a standard deviation of at most sqrt(k n) of n.
      double deviation = Math.sqrt((double) taken[i] / kept * taken[i] * 3);
      assertEquals(taken[i], weights[i], 5 * deviation, "thread " + i);
    }
    long all = taken[0] + taken[1] + taken[2];
    assertEquals(all, weights[0] + weights[1] + weights[2], 0.02 * all);
  }

  @Test
  void theFullRateComesBack() {
    Throttle throttle = throttle(10);
    load(throttle, 30, 2_000, 350_000, 0);
    assertTrue(throttle.oneIn() >= 4, "keeps one in " + throttle.oneIn());
    assertTrue(
        throttle.note().matches(".* 10 % of a core .*: keeps one sample in \\d+, .*"),
        throttle.note());
    load(throttle, 12, 200, 50_000, 0);
    assertEquals(1, throttle.oneIn());
    assertEquals("", throttle.note());
    long before = kept;
    long takenBefore = taken[0] + taken[1] + taken[2];
    load(throttle, 10, 200, 50_000, 0);
    assertEquals(taken[0] + taken[1] + taken[2] - takenBefore, kept - before);
  }

  /** Where it is not the samples that cost, nothing is gained by passing them over. */
  @Test
  void samplesAreNotThinnedForOtherWork() {
    Throttle throttle = throttle(10);
    load(throttle, 60, 1_000, 40_000, 1_000_000); // 4 % for them, 20 % for what else there is
    assertEquals(taken[0] + taken[1] + taken[2], kept);
    backlog = 0.9;
    load(throttle, 10, 1_000, 40_000, 1_000_000);
    assertEquals(taken[0] + taken[1] + taken[2], kept);
  }

  @Test
  void thereIsAMostAndAWayBackFromIt() {
    Throttle throttle = throttle(1);
    load(throttle, 120, 200_000, 2_000_000, 0);
    assertTrue(throttle.oneIn() >= Throttle.MAX / 2, "keeps one in " + throttle.oneIn());
    load(throttle, 60, 1_000, 1_000, 0);
    assertEquals(1, throttle.oneIn());
  }

  /** On a machine that is too busy it is not CPU time that the drain thread uses too much of. */
  @Test
  void fewerAreKeptWhileTheRingsFill() {
    Throttle throttle = throttle(10);
    backlog = 0.8;
    load(throttle, 0.004, 1_000, 800_000, 0);
    assertEquals(1, throttle.oneIn(), "a pause that is over is no reason");
    backlog = 0.1;
    load(throttle, 0.004, 1_000, 1_000, 0);
    backlog = 0.8;
    load(throttle, 0.200, 20_000, 800_000, 0);
    assertTrue(throttle.oneIn() > 8, "keeps one in " + throttle.oneIn());
    assertTrue(throttle.note().contains("too little CPU time"), throttle.note());
    backlog = 0;
    load(throttle, 1, 1_000, 1_000, 0);
    assertEquals(1, throttle.oneIn());
  }

  /** A thread whose samples come at regular places among the others is not preferred. */
  @Test
  void regularSamplesAreKeptAsOftenAsOthers() {
    Throttle throttle = throttle(10);
    load(throttle, 30, 20_000, 100_000, 0);
    long weight = 0;
    int others = 0;
    for (int i = 0; i < 400_000; i++) {
      boolean kept = throttle.keeps();
      if (i % 4 == 0) {
        weight += kept ? throttle.group() : 0;
      } else {
        others += kept ? throttle.group() : 0;
      }
    }
    assertEquals(100_000, weight, 15_000);
    assertEquals(300_000, others, 15_000);
  }
}
