package stackweave.jfr.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;
import static stackweave.jfr.event.SampleRecord.Kind.WALL;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.status.Breakdown;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.SamplerFigures;

/** What a sample costs, and what the store does at its limits. */
class EventStoreTest {
  private static final int SAMPLES = 15_000;

  @TempDir Path directory;

  /** More than another sample by its codes alone, which that has in its attributes. */
  @Test
  void aSampleOfWaitingTakesFewBytes() throws Exception {
    long[] sizes = new long[2];
    for (int waiting = 0; waiting < 2; waiting++) {
      Path file = directory.resolve(waiting + ".jfr");
      try (Recording recording = new Recording();
          EventStore store = EventStore.open(SyntheticStacks.SESSION, StoreLimits.DEFAULT)) {
        recording.enable(WallSample.NAME);
        recording.start();
        long stack = SyntheticStacks.intern(store, 5);
        long thread = store.thread(4_711, "warm", 8, false, 0, null);
        for (int i = 0; i < SAMPLES; i++) {
          long now = System.nanoTime();
          assertTrue(
              waiting == 1
                  ? store.write(
                      new SampleRecord()
                          .begin(WALL, now, 20_000_000)
                          .stack(thread, stack, 0, 0)
                          .state(3))
                  : store.write(
                      new SampleRecord().begin(CPU, now, 10_000_000).stack(thread, stack, 0, 0)));
        }
        store.flush();
        recording.dump(file);
      }
      sizes[waiting] = Files.size(file);
    }
    double more = (double) (sizes[1] - sizes[0]) / SAMPLES;
    System.out.printf("%.1f bytes more per sample of waiting%n", more);
    assertTrue(more <= 6, "bytes: " + more);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aWarmSampleAllocatesItsEventAlone(boolean isWaiting) {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (Recording recording = new Recording();
        EventStore store = EventStore.open(SyntheticStacks.SESSION, StoreLimits.DEFAULT)) {
      recording.enable(WallSample.NAME);
      recording.start();
      long stack = SyntheticStacks.intern(store, 5);
      long thread = store.thread(4_711, "warm", 8, false, 0, Thread.currentThread());
      long method = store.method(MethodDefinition.stub("warm"));
      SampleRecord sample = new SampleRecord();
      long before = 0;
      for (int i = -SAMPLES; i < SAMPLES; i++) {
        if (i == 0) {
          before = threads.getCurrentThreadAllocatedBytes();
        }
        store.beginStack();
        store.node(EventStore.ROOT, method, 1, 2, 3);
        assertEquals(thread, store.thread(4_711, "warm", 8, false, 0, Thread.currentThread()));
        sample.begin(isWaiting ? WALL : CPU, System.nanoTime(), 1).stack(thread, stack, 0, 0);
        assertTrue(store.write(sample.state(isWaiting ? 3 : 0)));
      }
      double perSample = (double) (threads.getCurrentThreadAllocatedBytes() - before) / SAMPLES;
      System.out.printf("%.0f bytes of garbage per warm sample%n", perSample);
      // Of waiting, the codes are in the event.
      assertTrue(perSample <= (isWaiting ? 104 : 88), "bytes per sample: " + perSample);
    }
  }

  /** Thousands of threads that live at once are no reason to begin anew for ever. */
  @Test
  void allThreadsThatLiveHaveRoom() {
    try (EventStore store =
        EventStore.open(SyntheticStacks.SESSION, new StoreLimits(1_000, 9_999, 99, 10))) {
      int first = store.beginStack();
      store.expectThreads(50);
      for (int tid = 1; tid <= 100; tid++) {
        assertEquals(first, store.beginStack(), "thread " + tid);
        store.thread(tid, "pool", tid, false, 0, null);
      }
      assertEquals(first + 1, store.beginStack(), "twice as many as live");
    }
  }

  @Test
  void atItsLimitsAGenerationBegins() throws Exception {
    Path file = directory.resolve("limits.jfr");
    long firstId;
    try (Recording recording = new Recording();
        EventStore store =
            EventStore.open(SyntheticStacks.SESSION, new StoreLimits(1_000, 9_999, 99, 99))) {
      recording.start();
      int generation = store.beginStack();
      firstId = SyntheticStacks.intern(store, 0);
      for (int number = 0; number < 500; number++) {
        assertTrue(sample(store, number));
        assertTrue(store.nodes() < 1_100, "nodes: " + store.nodes());
      }
      assertNotEquals(generation, store.beginStack());
      assertNotEquals(firstId, SyntheticStacks.intern(store, 0), "an id was used twice");

      // Ids of a generation that is over are refused, not written wrongly.
      long thread = SyntheticStacks.thread(store, 0);
      assertFalse(
          store.write(
              new SampleRecord().begin(CPU, System.nanoTime(), 1).stack(thread, firstId, 0, 0)));
      recording.dump(file);
    }
    SampledRecording profile = SampledRecording.open(file);
    assertEquals(500, profile.samples());
    assertEquals(0, profile.unresolved());
  }

  @Test
  void withoutARecordingNothingIsWritten() {
    try (EventStore store = EventStore.open(SyntheticStacks.SESSION, StoreLimits.DEFAULT)) {
      assertFalse(sample(store, 1));
      try (Recording recording = new Recording()) {
        recording.start();
        assertTrue(sample(store, 2));
      }
      long least = Long.MAX_VALUE; // of some: the machine may stop in one of them
      for (int i = 0; i < 3; i++) {
        long before = System.nanoTime();
        assertFalse(sample(store, 3));
        least = Math.min(least, System.nanoTime() - before);
      }
      assertTrue(least < ChunkGate.OPEN_NANOS / 2, "waited at a closed gate");
      try (Recording recording = new Recording()) {
        recording.disable("stackweave.NativeSample");
        recording.start();
        assertFalse(sample(store, 4));
      }
    }
  }

  /** A drain thread that never answers costs a rotation its bounded wait, and no more. */
  @Test
  void aRotationWaitsNoLongerThanItMay() throws Exception {
    Path file = directory.resolve("waits.jfr");
    try (Recording recording = new Recording();
        EventStore store = EventStore.open(SyntheticStacks.SESSION, StoreLimits.DEFAULT)) {
      recording.start();
      AtomicInteger wakeUps = new AtomicInteger();
      Thread deaf =
          new Thread(
              () -> {
                store.attachDrain(wakeUps::incrementAndGet);
                sample(store, 1);
              });
      deaf.start();
      deaf.join();
      Thread.currentThread().interrupt();
      long before = System.nanoTime();
      store.beforeRotation();
      store.afterRotation();
      long took = System.nanoTime() - before;
      assertTrue(Thread.interrupted(), "the interrupt was lost");
      assertEquals(1, wakeUps.get());
      assertEquals(1, store.lateFlushes());
      assertTrue(took >= ChunkGate.FLUSH_NANOS, "ns: " + took);
      System.out.println("a rotation waits for ns: " + took); // longer on a busy machine
      assertTrue(sample(store, 2), "the gate is open again");
      recording.dump(file);
    }
    assertEquals(0, SampledRecording.open(file).unresolved());
  }

  /** The JVM's end waits no longer, however many recordings end with it, and the file says so. */
  @Test
  void theLastRotationsWaitNoLongerThanOne() throws Exception {
    Path file = directory.resolve("late.jfr");
    try (Recording recording = new Recording();
        EventStore store = EventStore.open(SyntheticStacks.SESSION, StoreLimits.DEFAULT)) {
      recording.start();
      CountDownLatch asked = new CountDownLatch(1);
      CountDownLatch over = new CountDownLatch(1);
      Thread slow =
          new Thread(
              () -> {
                store.attachDrain(asked::countDown);
                sample(store, 1);
                store.status(sampling());
                try {
                  over.await();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      AtomicLong took = new AtomicLong();
      Thread shutdown =
          new Thread(
              () -> {
                long before = System.nanoTime();
                for (int i = 0; i < 5; i++) {
                  store.beforeRotation();
                  store.afterRotation();
                }
                took.set(System.nanoTime() - before);
              },
              ChunkGate.SHUTDOWN_HOOK);
      slow.start();
      while (slow.getState() != Thread.State.WAITING) {
        Thread.sleep(1);
      }
      assertFalse(store.isLastFlushed());
      shutdown.start();
      shutdown.join();
      assertTrue(store.isLastFlushed());
      over.countDown();
      slow.join();
      assertEquals(0, asked.getCount());
      assertTrue(took.get() >= ChunkGate.FLUSH_NANOS, "ns: " + took);
      System.out.println("five rotations at the end wait for ns: " + took);
      recording.dump(file);
    }
    assertEquals(EventStore.LATE, SampledRecording.open(file).figures().note());
  }

  private static SamplerFigures sampling() {
    return new SamplerFigures(
        "perf",
        "",
        "",
        new Counters()
            .set(Counter.INTERVAL, 10_000_000)
            .set(Counter.TAKEN, 1)
            .set(Counter.WRITTEN, 1),
        Map.of(Breakdown.ENDS, Map.of("complete", 1L)));
  }

  static boolean sample(EventStore store, int number) {
    long stack = SyntheticStacks.intern(store, number);
    long thread = SyntheticStacks.thread(store, number);
    return store.write(
        new SampleRecord().begin(CPU, System.nanoTime(), 10_000_000).stack(thread, stack, 0, 0));
  }
}
