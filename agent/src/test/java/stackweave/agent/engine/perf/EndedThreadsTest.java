package stackweave.agent.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import stackweave.agent.engine.EngineSink;
import stackweave.agent.linux.SystemCalls;
import stackweave.unwind.snapshot.StackSnapshot;

/** What it says of threads that this JVM starts and ends. */
class EndedThreadsTest {
  private static final SystemCalls CALLS = SystemCalls.current().orElseThrow();
  private static final int TRIES = 12_000;

  private final EndedThreads threads = new EndedThreads(CALLS);
  private final Told told = new Told();

  @AfterEach
  void close() {
    threads.close();
  }

  @Test
  void startsAndEndsAreToldOnce() throws Exception {
    Waiting first = Waiting.begin();
    report();
    assertTrue(told.alive.contains(first.tid), "one that was there before");
    Waiting second = Waiting.begin();
    reportUntil(() -> told.alive.contains(second.tid));
    first.end();
    reportUntil(() -> !told.alive.contains(first.tid));
    assertTrue(told.alive.contains(second.tid));
    second.end();
    reportUntil(() -> !told.alive.contains(second.tid));
    assertEquals(List.of(), told.twice.stream().toList());
  }

  /** Between two looks a second passes, so that a thousand calls have at most one of them. */
  @Test
  void itLooksNowAndThen() throws Exception {
    report();
    long began = System.nanoTime();
    Waiting waiting = Waiting.begin();
    for (int i = 0; i < 1_000; i++) {
      report();
    }
    assertTrue(
        !told.alive.contains(waiting.tid) || System.nanoTime() - began > 1_000_000_000L,
        "looked before a second was over");
    waiting.end();
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
    }
    reportUntil(() -> many.stream().allMatch(each -> told.alive.contains(each.tid)));
    for (Waiting each : many) {
      each.end();
    }
    reportUntil(() -> many.stream().noneMatch(each -> told.alive.contains(each.tid)));
    assertFalse(told.alive.isEmpty());
    assertEquals(Set.of(), told.twice);
  }

  private void report() {
    threads.look();
    if (threads.isToBeTold()) {
      assertTrue(threads.time() - System.nanoTime() <= 0);
      threads.tell(told);
    }
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
    private final Set<Integer> alive = new HashSet<>();

    /** Started though they were there, or ended though they were not. */
    private final Set<Integer> twice = new HashSet<>();

    @Override
    public void sample(StackSnapshot snapshot) {
      throw new IllegalStateException("nothing is sampled");
    }

    @Override
    public void started(long timeNanos, int tid, int parentTid) {
      if (!alive.add(tid)) {
        twice.add(tid);
      }
    }

    @Override
    public void exited(long timeNanos, int tid) {
      if (!alive.remove(tid)) {
        twice.add(tid);
      }
    }
  }
}
