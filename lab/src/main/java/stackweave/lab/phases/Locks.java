package stackweave.lab.phases;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.ReentrantLock;
import stackweave.samples.work.Round;

/** Contended locks, futures handed from thread to thread, and short-lived threads. */
final class Locks implements Round {
  private static final Object MONITOR = new Object();
  private static final ReentrantLock LOCK = new ReentrantLock(true);

  /**
   * The common pool of a machine with two CPUs has one thread, and is not used for futures then.
   */
  private static final ForkJoinPool POOL = new ForkJoinPool(2);

  @Override
  public long run() {
    long sum = 0;
    for (int i = 0; i < 50; i++) {
      sum += handedOn() + inMonitor() + inLock();
    }
    return sum + started();
  }

  private static long handedOn() {
    return CompletableFuture.supplyAsync(() -> Compute.fibonacci(15), POOL)
        .thenApplyAsync(x -> x + 1, POOL)
        .join();
  }

  private static long inMonitor() {
    synchronized (MONITOR) {
      MONITOR.notifyAll();
      return Compute.fibonacci(12);
    }
  }

  private static long inLock() {
    LOCK.lock();
    try {
      return Compute.fibonacci(12);
    } finally {
      LOCK.unlock();
    }
  }

  private static long started() {
    Thread thread = new Thread(() -> Compute.digits(2_000), "brief");
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return 1;
  }
}
