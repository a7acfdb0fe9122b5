package stackweave.agent.attach;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What the kernel calls a thread of this name. */
class DrainThreadNameTest {

  @Test
  void theKernelsNameOfSuchAThreadIsKnown() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Thread thread =
        new Thread(
            () -> {
              running.countDown();
              try {
                end.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            DrainThreadName.NAME);
    thread.start();
    running.await();
    try {
      assertTrue(isThere());
    } finally {
      end.countDown();
      thread.join();
    }
  }

  private static boolean isThere() throws Exception {
    boolean there = false;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path task : tasks) {
        there |= DrainThreadName.isComm(Files.readString(task.resolve("comm")).strip());
      }
    }
    return there;
  }

  /** As read on JDK 25 and on JDK 26. */
  @Test
  void bothWaysOfCuttingItAreKnown() {
    assertTrue(DrainThreadName.isComm("stackweave-drai"));
    assertTrue(DrainThreadName.isComm("stackwe..-drain"));
    assertFalse(DrainThreadName.isComm("stackweave-drain"));
    assertFalse(DrainThreadName.isComm("stackweave-cont"));
  }
}
