package stackweave.live.waiting;

import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads that park for ever, half of them of an executor, and one that works now and then:
 * {@code ParkedVirtualThreadsApp COUNT}. By reflection, since the tests are compiled for JDK 17.
 */
final class ParkedVirtualThreadsApp {
  private static volatile double result;

  private ParkedVirtualThreadsApp() {}

  public static void main(String[] args) throws Exception {
    int parked = Integer.parseInt(args[0]) - 1;
    Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
    ExecutorService executor =
        (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    for (int i = 0; i < parked; i++) {
      if (i % 2 == 0) {
        start.invoke(null, (Runnable) ParkedVirtualThreadsApp::park);
      } else {
        executor.execute(ParkedVirtualThreadsApp::park);
      }
    }
    start.invoke(null, (Runnable) ParkedVirtualThreadsApp::work);
    Files.createFile(Path.of("ready"));
    Thread.sleep(Long.MAX_VALUE); // until it is killed
  }

  private static void park() {
    while (true) {
      LockSupport.park();
    }
  }

  private static void work() {
    while (true) {
      for (int i = 0; i < 1_000_000; i++) {
        result += Math.sqrt(i);
      }
      LockSupport.parkNanos(10_000_000);
    }
  }
}
