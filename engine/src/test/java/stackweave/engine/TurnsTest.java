package stackweave.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One works at a time, and nobody waits for one who hangs. */
@Timeout(60)
class TurnsTest {
  private static final long SECOND = 1_000_000_000L;

  /** Starts one whose turn does not end before it may go on. */
  private static Thread hang(Turns turns, CountDownLatch hangs, CountDownLatch mayGoOn) {
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
    return thread;
  }

  @Test
  void oneWorksAtATimeAndNobodyIsLeftOut() throws InterruptedException {
    Turns turns = new Turns(60 * SECOND, SECOND);
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

  /** For five seconds in all: without the rule for a time thereafter it would be 150. */
  @Test
  void manyWhoHangHoldUpNobodyForLong() throws InterruptedException {
    Turns turns = new Turns(5 * SECOND, SECOND / 1_000);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    List<Thread> hanging = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      CountDownLatch hangs = new CountDownLatch(1);
      hanging.add(hang(turns, hangs, mayGoOn));
      hangs.await();
    }
    turns.begin(() -> false);
    turns.end();
    mayGoOn.countDown();
    for (Thread thread : hanging) {
      thread.join();
    }
  }

  @Test
  void theOthersGoOnWithoutOneWhoHangs() throws InterruptedException {
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    Turns turns = new Turns(SECOND, 60 * SECOND);
    Thread hanging = hang(turns, hangs, mayGoOn);
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
