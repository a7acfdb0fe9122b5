package stackweave.lab.chaos.work;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** The same work on several threads. */
public final class Together {

  /** The work of thread {@code number}. */
  public interface Work {
    public void run(int number) throws Exception;
  }

  private Together() {}

  /**
   * Returns when all of them are done.
   *
   * @throws IllegalStateException if one of them threw
   */
  public static void run(int threads, Work work) throws InterruptedException {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int number = i;
      Thread thread =
          new Thread(
              () -> {
                try {
                  work.run(number);
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                }
              },
              Thread.currentThread().getName() + "-" + i);
      thread.start();
      running.add(thread);
    }
    for (Thread thread : running) {
      thread.join();
    }
    if (failure.get() != null) {
      throw new IllegalStateException(failure.get());
    }
  }
}
