package stackweave.agent.feature.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.agent.decode.OwnPipeline.of;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Test;
import stackweave.agent.decode.OwnPipeline;
import stackweave.agent.option.WallFilter;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.status.Counter;
import stackweave.testing.WaitingThread;

/** How long threads are said to wait, and how often they are looked at. */
class WaitingTimesTest {
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1_000 * MILLISECOND;
  private static final long PATIENCE_NANOS = 60 * SECOND;
  private static final String NAME = "waits-for-test";

  /** All the time between two samples of a thread that always waits is in the later one. */
  @Test
  void aThreadThatAlwaysWaitsIsSaidToWaitAllTheTime() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    Thread waiting = WaitingThread.start(NAME, end);
    try (OwnPipeline own = new OwnPipeline()) {
      WallSampler sampler =
          new WallSampler(
              WallParts.open(own.decoder(), own.pipeline, ""),
              System.nanoTime(),
              5 * MILLISECOND,
              100,
              WallFilter.parse(NAME + "|" + WallFilter.ALL),
              own.counters);
      long begin = System.nanoTime();
      for (int i = 0; i < 4; i++) {
        long written = own.count(Counter.WALL_WRITTEN);
        Thread.sleep(30);
        while (own.count(Counter.WALL_WRITTEN) == written) {
          assertTrue(System.nanoTime() - begin < PATIENCE_NANOS);
          Thread.sleep(sampler.waitMillis());
          sampler.pass();
          sampler.flush(); // as at the end of a chunk
        }
      }
      sampler.close();
      List<RecordedEvent> samples = of(own.events(), "WallSample");
      assertTrue(samples.size() >= 4, samples.size() + " samples");
      for (int i = 1; i < samples.size(); i++) {
        RecordedEvent sample = samples.get(i);
        Duration between =
            Duration.between(samples.get(i - 1).getStartTime(), sample.getStartTime());
        Duration said = Duration.ofNanos(sample.getLong("weight"));
        Duration error = Duration.ofMillis(1);
        assertTrue(said.minus(between).abs().compareTo(error) < 0, said + " of " + between);
      }
      assertEquals(own.count(Counter.WALL_WRITTEN), samples.size());
    } finally {
      end.countDown();
      waiting.join();
    }
  }

  /** Also what passed before it was listed, and after the last look at it. */
  @Test
  void allOfTheLifeOfAThreadThatWaitsIsSaid() throws Exception {
    try (OwnPipeline own = new OwnPipeline()) {
      WallSampler sampler =
          new WallSampler(
              WallParts.open(own.decoder(), own.pipeline, ""),
              System.nanoTime() - 20 * MILLISECOND, // the kernel's times of starts are coarse
              5 * MILLISECOND,
              100,
              WallFilter.parse(NAME + "|" + WallFilter.ALL),
              own.counters);
      CountDownLatch end = new CountDownLatch(1);
      long begin = System.nanoTime();
      Thread waiting = WaitingThread.start(NAME, end);
      Thread.sleep(200);
      while (own.count(Counter.WALL_CAPTURED) == 0) {
        assertTrue(System.nanoTime() - begin < PATIENCE_NANOS);
        sampler.pass();
      }
      for (int i = 0; i < 40; i++) {
        sampler.pass();
        Thread.sleep(5);
      }
      end.countDown();
      waiting.join();
      long life = System.nanoTime() - begin;
      while (own.count(Counter.WALL_THREADS) > 0) {
        assertTrue(System.nanoTime() - begin < PATIENCE_NANOS);
        sampler.pass();
      }
      long most = System.nanoTime() - begin + 20 * MILLISECOND;
      sampler.close();
      long said =
          of(own.events(), "WallSample").stream()
              .mapToLong(sample -> sample.getLong("weight"))
              .sum();
      assertTrue(life - 20 * MILLISECOND <= said && said <= most, said + " of " + life);
    }
  }

  /** Passes are half an interval to one and a half apart, and the drain thread sleeps meanwhile. */
  @Test
  void threadsAreLookedAtAsOftenAsAsked() throws Exception {
    try (OwnPipeline own = new OwnPipeline()) {
      WallFilter none = WallFilter.parse("no such thread");
      for (int millis : new int[] {4, 10}) {
        WallSampler sampler =
            new WallSampler(
                WallParts.open(own.decoder(), own.pipeline, ""),
                System.nanoTime(),
                millis * MILLISECOND,
                100,
                none,
                own.counters);
        sampler.pass();
        int wait = sampler.waitMillis();
        assertTrue(wait <= 3 * millis / 2, "every " + millis + " ms, but waits " + wait);
        assertEquals(millis * MILLISECOND, own.count(Counter.WALL_INTERVAL));
        sampler.close();
      }
    }
  }

  /** What it waited for a CPU after a wait is a sample of its own, with the same stack. */
  @Test
  void timesOfAStackAreWrittenWholly() throws Exception {
    try (OwnPipeline own = new OwnPipeline()) {
      WallParts parts = WallParts.open(own.decoder(), own.pipeline, "");
      WallWriter writer = new WallWriter(own.store, parts.decoder, own.counters);
      long now = System.nanoTime();
      WallThread t = new WallThread(OwnPipeline.TID);
      t.reset(0, 0, now);
      t.hasStack = true;
      t.threadKey = own.store.thread(OwnPipeline.TID, "waits", 0, false, 0, null);
      t.ownKey = t.threadKey;
      t.ownGeneration = parts.decoder.generation();
      t.state = ThreadState.PARK.code();
      t.blocked = 70 * MILLISECOND;
      t.runnable = 20 * MILLISECOND;
      t.preempted = 6 * MILLISECOND;
      t.carried = 4 * MILLISECOND;
      new OwnPipeline.Moment().commit();
      long later = System.nanoTime();
      new OwnPipeline.Moment().commit();
      writer.writeAll(t, later);
      List<RecordedEvent> events = own.events();
      for (RecordedEvent sample : of(events, "WallSample")) {
        assertAgo(0, events, sample);
      }
      List<String> written =
          of(events, "WallSample").stream()
              .map(e -> e.getInt("state") + ": " + e.getLong("weight") / MILLISECOND + " ms")
              .toList();
      assertEquals(List.of("3: 70 ms", "1: 20 ms", "1: 6 ms", "15: 4 ms"), written);
      assertEquals(4, own.count(Counter.WALL_WRITTEN));
    }
  }

  /** From the switch away from a CPU to the switch back; who woke it did so some time before. */
  @Test
  void aBlockedThreadHasItsDurationAndTheDelayOfItsWakeUp() throws Exception {
    try (OwnPipeline own = new OwnPipeline()) {
      WallParts parts = WallParts.open(own.decoder(), own.pipeline, "");
      BlockedWriter writer =
          new BlockedWriter(own.store, parts.decoder, own.counters, parts.processId);
      new OwnPipeline.Moment().commit();
      long out = System.nanoTime() - SECOND;
      new OwnPipeline.Moment().commit();
      BlockedThread t = new BlockedThread(OwnPipeline.TID);
      t.threadKey = own.store.thread(OwnPipeline.TID, "blocked", 0, false, 0, null);
      t.generation = parts.decoder.generation();
      t.state = ThreadState.SOCKET.code();
      t.outAt = out;
      t.wakerPid = parts.processId;
      t.wakerTid = parts.ownTid;
      t.wokenAt = out + 390 * MILLISECOND;
      writer.write(t, 400 * MILLISECOND);
      writer.writeOpen(t, 200 * MILLISECOND, true);
      writer.writeOpen(t, 200 * MILLISECOND, false);
      List<RecordedEvent> all = own.events();
      List<RecordedEvent> events = of(all, "Blocked");
      assertEquals(2, events.size());
      RecordedEvent over = events.get(0);
      assertAgo(1_000, all, over);
      assertEquals(400, over.getDuration().toNanos() / 1e6, 1);
      assertTrue(over.getBoolean("over"));
      assertEquals(10 * MILLISECOND, over.getLong("wakeDelay"));
      assertEquals(parts.processId, over.getInt("wakerPid"));
      assertTrue(over.getLong("wakerThreadId") != 0);
      assertEquals(ThreadState.SOCKET.code(), over.getInt("state"));
      RecordedEvent open = events.get(1);
      assertEquals(200, open.getDuration().toNanos() / 1e6, 1);
      assertTrue(!open.getBoolean("over"));
      assertEquals(0, open.getLong("wakeDelay"));
      assertEquals(1, own.count(Counter.BLOCKED_WRITTEN));
      assertEquals(1, own.count(Counter.BLOCKED_DROPPED));
    }
  }

  /** An event began so long before a time between two moments that JFR itself has noted. */
  private static void assertAgo(int millis, List<RecordedEvent> all, RecordedEvent event) {
    List<RecordedEvent> moments = of(all, "test.Moment");
    Instant time = event.getStartTime().plusMillis(millis);
    Duration error = Duration.ofMillis(1);
    assertTrue(time.isAfter(moments.get(0).getStartTime().minus(error)), "too early: " + time);
    assertTrue(time.isBefore(moments.get(1).getStartTime().plus(error)), "too late: " + time);
  }
}
