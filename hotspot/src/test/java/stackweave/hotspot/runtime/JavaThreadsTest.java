package stackweave.hotspot.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import stackweave.hotspot.Vm;

/** The VM's threads against those that the OS knows. */
class JavaThreadsTest {

  @Test
  void listsThisThreadAndEveryNamedOne() throws Exception {
    Vm vm = new Vm();
    CountDownLatch stop = new CountDownLatch(1);
    int[] tid = new int[1];
    CountDownLatch started = new CountDownLatch(1);
    Thread thread =
        new Thread(
            () -> {
              tid[0] = ownTid();
              started.countDown();
              try {
                stop.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    thread.start();
    started.await();
    List<JavaThreads.JavaThread> all = vm.hotspot.threads().all();
    Set<Integer> tids =
        all.stream().map(JavaThreads.JavaThread::osThreadId).collect(Collectors.toSet());
    assertTrue(tids.contains(ownTid()));
    assertTrue(tids.contains(tid[0]));
    try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
      Set<Integer> tasksOfOs =
          tasks.map(t -> Integer.parseInt(t.getFileName().toString())).collect(Collectors.toSet());
      assertTrue(tasksOfOs.containsAll(tids), tids + " of " + tasksOfOs);
    }
    for (JavaThreads.JavaThread each : all) {
      assertEquals(each.osThreadId(), vm.hotspot.threads().osThreadId(each.address()));
    }
    stop.countDown();
    thread.join();
  }

  @Test
  void aThreadThatDoesNotRunHasNoOsThread() throws Exception {
    assertEquals(JavaThreads.NO_THREAD, new Vm().hotspot.threads().osThreadId(0));
    assertEquals(JavaThreads.NO_THREAD, new Vm().hotspot.threads().osThreadId(64));
  }

  private static int ownTid() {
    try {
      return Integer.parseInt(Path.of("/proc/thread-self").toRealPath().getFileName().toString());
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
