package stackweave.testing;

import java.util.concurrent.CountDownLatch;

/** A thread that waits until a latch opens, and does nothing else. */
public final class WaitingThread {
  private WaitingThread() {}

  /** Starts one of that name. */
  public static Thread start(String name, CountDownLatch end) {
    Thread thread = new Thread(() -> await(end), name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Waits on this thread. */
  public static void await(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
