package stackweave.live.labels;

import java.lang.reflect.Method;
import java.util.concurrent.Semaphore;
import stackweave.lab.Sampling;
import stackweave.label.StackweaveContext;

/**
 * Handles requests of some length, each within a scope whose label is the name of the method that
 * handles it, with an inner scope now and then, and as long again outside of any scope. Arguments:
 * milliseconds, microseconds of a request, threads, then {@code platform} or {@code virtual}, or
 * one after the other. With more threads than CPUs they lose theirs within a request; virtual
 * threads yield their carriers to others.
 */
final class LabelledService {
  /** Virtual threads at a time for each thread, each of a few requests. */
  private static final int VIRTUAL_THREADS = 8;

  private static final int REQUESTS = 4;

  /** A virtual thread works so long before it yields. */
  private static final long SLICE_NANOS = 300_000;

  static volatile double result;

  private LabelledService() {}

  public static void main(String[] arguments) throws Exception {
    // Loaded, and used in vain, before the agent samples: it has to find the class.
    StackweaveContext.open("job", "none").close();
    Sampling.await();
    long millis = Long.parseLong(arguments[0]);
    long requestNanos = 1_000 * Long.parseLong(arguments[1]);
    int threads = Integer.parseInt(arguments[2]);
    for (int i = 3; i < arguments.length; i++) {
      long end = System.nanoTime() + 1_000_000 * millis;
      if (arguments[i].equals("virtual")) {
        handleOnVirtualThreads(end, requestNanos, VIRTUAL_THREADS * threads);
      } else {
        handleOnThreads(end, requestNanos, threads);
      }
    }
  }

  private static void handleOnThreads(long end, long requestNanos, int count)
      throws InterruptedException {
    Thread[] threads = new Thread[count];
    for (int i = 0; i < count; i++) {
      threads[i] = new Thread(() -> handle(end, Integer.MAX_VALUE, requestNanos, requestNanos));
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static void handleOnVirtualThreads(long end, long requestNanos, int count)
      throws Exception {
    Method start = Thread.class.getMethod("startVirtualThread", Runnable.class); // JDK 21
    Semaphore permits = new Semaphore(count);
    while (System.nanoTime() - end < 0) {
      permits.acquire();
      Runnable task =
          () -> {
            handle(end, REQUESTS, requestNanos, SLICE_NANOS);
            permits.release();
          };
      start.invoke(null, task);
    }
    permits.acquire(count);
  }

  private static void handle(long end, int requests, long requestNanos, long sliceNanos) {
    int next = Thread.currentThread().hashCode();
    for (int i = 0; i < requests && System.nanoTime() - end < 0; i++) {
      request(next++ & 3, requestNanos, sliceNanos);
      outside(requestNanos, sliceNanos);
    }
  }

  @SuppressWarnings("try") // javac: the scopes are never referenced
  private static void request(int number, long nanos, long sliceNanos) {
    switch (number) {
      case 0 -> {
        try (StackweaveContext scope = StackweaveContext.open("job", "job0", "kind", "plain")) {
          job0(nanos, sliceNanos);
        }
      }
      case 1 -> {
        try (StackweaveContext scope = StackweaveContext.open("job", "job1")) {
          job1(nanos, sliceNanos);
        }
      }
      case 2 -> {
        try (StackweaveContext scope = StackweaveContext.open("job", "job1", "kind", "outer")) {
          try (StackweaveContext inner = StackweaveContext.open("job", "job2")) {
            job2(nanos / 2, sliceNanos);
          }
          job1(nanos / 2, sliceNanos);
        }
      }
      default -> {
        try (StackweaveContext scope = StackweaveContext.open("job", "job3")) {
          job3(nanos, sliceNanos);
        }
      }
    }
  }

  static void job0(long nanos, long sliceNanos) {
    result = work(nanos, sliceNanos);
  }

  static void job1(long nanos, long sliceNanos) {
    result = work(nanos, sliceNanos);
  }

  static void job2(long nanos, long sliceNanos) {
    result = work(nanos, sliceNanos);
  }

  static void job3(long nanos, long sliceNanos) {
    result = work(nanos, sliceNanos);
  }

  /** Between two requests. */
  static void outside(long nanos, long sliceNanos) {
    result = work(nanos, sliceNanos);
  }

  private static double work(long nanos, long sliceNanos) {
    double sum = 0;
    long begin = System.nanoTime();
    long slice = begin;
    while (true) {
      for (int i = 1; i < 500; i++) {
        sum += Math.sqrt(i + sum);
      }
      long now = System.nanoTime();
      if (now - begin >= nanos) {
        return sum;
      }
      if (now - slice >= sliceNanos) {
        Thread.yield();
        slice = System.nanoTime();
      }
    }
  }
}
