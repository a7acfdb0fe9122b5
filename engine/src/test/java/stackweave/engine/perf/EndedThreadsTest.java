package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import stackweave.engine.EngineSink;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.SystemCalls;
import stackweave.unwind.snapshot.StackSnapshot;

/** What it says of threads that this JVM starts and ends. */
class EndedThreadsTest {
  private static final SystemCalls CALLS = SystemCalls.current().orElseThrow();
  private static final int TRIES = 12_000;

  private final EndedThreads threads = new EndedThreads(CALLS, SampledProcess.OWN);
  private final Told told = new Told();

  @AfterEach
  void close() {
    threads.close();
  }

  @Test
  void endsOfSampledThreadsAreToldOnce() throws Exception {
    Waiting first = Waiting.begin();
    Waiting second = Waiting.begin();
    Waiting never = Waiting.begin();
    assertTrue(threads.isNew(first.tid));
    assertTrue(threads.isNew(second.tid));
    assertFalse(threads.isNew(first.tid));
    first.end();
    never.end();
    reportUntil(() -> told.ended.contains(first.tid));
    assertFalse(threads.isNew(second.tid), "it is there still");
    second.end();
    reportUntil(() -> told.ended.contains(second.tid));
    assertEquals(List.of(first.tid, second.tid), told.ended);
    assertTrue(threads.isNew(first.tid), "its id may be another's");
  }

  /** As one that lives for less than the time between two looks. */
  @Test
  void aThreadThatWasNeverListedIsToldToo() throws Exception {
    Waiting gone = Waiting.begin();
    gone.end();
    threads.isNew(gone.tid);
    reportUntil(() -> told.ended.contains(gone.tid));
  }

  /** Between two looks a second passes, so that a thousand calls have at most one of them. */
  @Test
  void itLooksNowAndThen() throws Exception {
    Waiting waiting = Waiting.begin();
    threads.isNew(waiting.tid);
    waiting.end();
    reportUntil(() -> !told.ended.isEmpty());
    long looked = System.nanoTime();
    Waiting next = Waiting.begin();
    threads.isNew(next.tid);
    next.end();
    for (int i = 0; i < 1_000; i++) {
      report();
    }
    assertTrue(told.ended.size() == 1 || System.nanoTime() - looked > 900_000_000L, "looked again");
  }

  /** As many as the list of the kernel has room for in several calls. */
  @Test
  void manyThreads() throws Exception {
    List<Waiting> many = Stream.generate(Waiting::new).limit(1_500).toList();
    for (Waiting each : many) {
      each.start();
    }
    for (Waiting each : many) {
      each.begun.await();
      assertTrue(threads.isNew(each.tid));
    }
    for (int i = 0; i < many.size(); i += 2) {
      many.get(i).end();
    }
    reportUntil(() -> told.ended.size() >= 750);
    for (int i = 0; i < many.size(); i++) {
      assertEquals(i % 2 == 0, told.ended.contains(many.get(i).tid));
      many.get(i).end();
    }
    reportUntil(() -> told.ended.size() >= 1_500);
    assertEquals(1_500, Set.copyOf(told.ended).size());
  }

  /** All that there were have come. */
  private static final EndedThreads.Samples NO_SAMPLES =
      new EndedThreads.Samples() {
        @Override
        public boolean isPast(long timeNanos) {
          assertTrue(timeNanos - System.nanoTime() <= 0);
          return true;
        }

        @Override
        public int drain(long untilTimeNanos) {
          return 0;
        }
      };

  private void report() {
    threads.deliver(Long.MAX_VALUE, NO_SAMPLES, told);
  }

  private void reportUntil(BooleanSupplier isTold) throws InterruptedException {
    for (int i = 0; i < TRIES && !isTold.getAsBoolean(); i++) {
      Thread.sleep(10);
      report();
    }
    assertTrue(isTold.getAsBoolean());
  }

  /** A thread that does nothing until it is to end. */
  private static final class Waiting extends Thread {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private volatile int tid;

    static Waiting begin() throws InterruptedException {
      Waiting waiting = new Waiting();
      waiting.start();
      waiting.begun.await();
      return waiting;
    }

    @Override
    public void run() {
      tid = CALLS.gettid();
      begun.countDown();
      try {
        end.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    void end() throws InterruptedException {
      end.countDown();
      join();
    }
  }

  private static final class Told implements EngineSink {
    private final List<Integer> ended = new ArrayList<>();

    @Override
    public void sample(StackSnapshot snapshot) {
      throw new IllegalStateException("nothing is sampled");
    }

    @Override
    public void exited(long timeNanos, int tid) {
      ended.add(tid);
    }
  }
}
