package stackweave.live.harm;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** Starts thousands of threads: all alive at once, or each short-lived. */
final class ThreadStorm {
  private static final int TURN = 10_000;
  private static final long STACK_BYTES = 256 * 1024;

  /** Short threads that are started before the first of them is waited for. */
  private static final int AT_ONCE = 50;

  private ThreadStorm() {}

  /** Threads that have done their work and wait. */
  static final class Alive implements AutoCloseable {
    private final Thread[] threads;
    private final CountDownLatch ready;
    private final CountDownLatch over = new CountDownLatch(1);
    private final AtomicLong sum = new AtomicLong();

    private Alive(int count) {
      threads = new Thread[count];
      ready = new CountDownLatch(count);
    }

    private void live() {
      sum.addAndGet(Spin.turn(TURN));
      ready.countDown();
      try {
        over.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      sum.addAndGet(Spin.turn(TURN));
    }

    /** Lets them end, each with another turn. */
    void end() throws InterruptedException {
      over.countDown();
      for (Thread thread : threads) {
        thread.join();
      }
      checkSum(sum.get(), 2L * threads.length);
    }

    @Override
    public void close() {
      over.countDown();
    }
  }

  static Alive start(int count) throws InterruptedException {
    Alive alive = new Alive(count);
    for (int i = 0; i < count; i++) {
      alive.threads[i] = new Thread(null, alive::live, "live-" + i, STACK_BYTES);
      alive.threads[i].start();
    }
    alive.ready.await();
    return alive;
  }

  /** Starts threads that end at once. */
  static String ended(int count) throws InterruptedException {
    AtomicLong sum = new AtomicLong();
    Thread[] threads = new Thread[AT_ONCE];
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      Thread before = threads[i % AT_ONCE];
      if (before != null) {
        before.join();
      }
      Runnable work = () -> sum.addAndGet(Spin.turn(TURN));
      threads[i % AT_ONCE] = new Thread(null, work, "short-" + i, STACK_BYTES);
      threads[i % AT_ONCE].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    checkSum(sum.get(), count);
    return count
        + " threads, "
        + count * 1_000_000_000L / (System.nanoTime() - start)
        + " a second";
  }

  private static void checkSum(long sum, long turns) {
    Spin.check(sum / turns, TURN);
    if (sum % turns != 0) {
      Spin.check(sum, TURN);
    }
  }
}
