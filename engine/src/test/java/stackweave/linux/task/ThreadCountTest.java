package stackweave.linux.task;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.SystemCalls;
import stackweave.linux.Tasks;

class ThreadCountTest {

  /** Against the list of threads: the JVM may start or end a few of its own meanwhile. */
  @Test
  void itIsAsManyAsAreListed() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    SystemCalls calls = SystemCalls.current().orElseThrow();
    try (TaskFiles files = new TaskFiles(calls)) {
      int own = calls.gettid();
      assertNear(Tasks.list(SampledProcess.OWN).length, files.threadCount(own));
      for (int i = 0; i < 200; i++) {
        Thread thread = new Thread(() -> await(end));
        thread.start();
        threads.add(thread);
      }
      assertTrue(files.threadCount(own) > 200, "threads: " + files.threadCount(own));
      assertNear(Tasks.list(SampledProcess.OWN).length, files.threadCount(own));
    } finally {
      end.countDown();
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }

  private static void assertNear(int listed, int counted) {
    assertTrue(Math.abs(listed - counted) <= 8, listed + " are listed, " + counted + " counted");
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
