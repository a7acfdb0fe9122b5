package stackweave.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One works at a time, and nobody waits for one who hangs. */
@Timeout(60)
class TurnsTest {
  private final Turns turns = new Turns();

  @Test
  void oneWorksAtATimeAndNobodyIsLeftOut() throws InterruptedException {
    AtomicInteger workers = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      threads.add(
          new Thread(
              () -> {
                for (int turn = 0; turn < 200; turn++) {
                  turns.begin(() -> false);
                  most.accumulateAndGet(workers.incrementAndGet(), Math::max);
                  Thread.yield();
                  workers.decrementAndGet();
                  turns.end();
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(1, most.get());
  }

  /** A second for the first, and little for each that hangs after it. */
  @Test
  void manyWhoHangHoldUpTheOthersOnce() throws InterruptedException {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    List<Thread> hanging = new ArrayList<>();
    long began = System.nanoTime();
    for (int i = 0; i < 30; i++) {
      CountDownLatch hangs = new CountDownLatch(1);
      Thread thread =
          new Thread(
              () -> {
                turns.begin(() -> false);
                hangs.countDown();
                try {
                  mayGoOn.await();
                } catch (InterruptedException e) {
                  return;
                }
                turns.end();
              });
      thread.start();
      hanging.add(thread);
      hangs.await();
    }
    turns.begin(() -> false);
    long took = System.nanoTime() - began;
    assertTrue(took < 15_000_000_000L, took + " ns, where each for a second would be 30 s");
    turns.end();
    mayGoOn.countDown();
    for (Thread thread : hanging) {
      thread.join();
    }
  }

  @Test
  void theOthersGoOnWithoutOneWhoHangs() throws InterruptedException {
    Turns turns = new Turns(60_000_000_000L); // the next one waits
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    Thread hanging =
        new Thread(
            () -> {
              turns.begin(() -> false);
              hangs.countDown();
              try {
                mayGoOn.await();
              } catch (InterruptedException e) {
                return;
              }
              turns.end();
            });
    hanging.start();
    hangs.await();
    turns.begin(() -> false); // returns although the other has not ended its turn
    mayGoOn.countDown();
    hanging.join();
    List<String> order = new ArrayList<>();
    Thread next =
        new Thread(
            () -> {
              turns.begin(() -> false);
              order.add("next");
              turns.end();
            });
    next.start();
    while (next.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    turns.begin(() -> true); // does not wait
    order.add("this"); // the end of the one who hung did not end this turn
    turns.end();
    next.join();
    assertEquals(List.of("this", "next"), order);
  }
}
