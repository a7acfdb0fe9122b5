package stackweave.lab.phases;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import stackweave.samples.work.Round;

/** Virtual threads that compute, recurse, and park on the way back: JDK 21 and later. */
final class VirtualThreads implements Round {
  private static final int THREADS = 50;
  private static final Method FACTORY = factory();

  static boolean isHere() {
    return Runtime.version().feature() >= 21 && FACTORY != null;
  }

  /** Not known to the class files of JDK 17. */
  private static Method factory() {
    try {
      return Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
    } catch (NoSuchMethodException e) {
      return null;
    }
  }

  @Override
  public long run() {
    long sum = 0;
    ExecutorService executor = null;
    try {
      executor = (ExecutorService) FACTORY.invoke(null);
      List<Future<Long>> results = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        results.add(executor.submit(() -> Compute.fibonacci(16) + deeper(10)));
      }
      for (Future<Long> result : results) {
        sum += result.get();
      }
    } catch (ReflectiveOperationException | InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    } finally {
      if (executor != null) {
        executor.shutdown();
      }
    }
    return sum;
  }

  /** Frames that are frozen when the thread parks, and thawed one by one when they return. */
  private static long deeper(int depth) throws InterruptedException {
    if (depth > 0) {
      return deeper(depth - 1) + Compute.digits(20);
    }
    long sum = 0;
    for (int i = 0; i < 3; i++) {
      Thread.sleep(1);
      sum += Compute.fibonacci(14);
    }
    return sum;
  }
}
