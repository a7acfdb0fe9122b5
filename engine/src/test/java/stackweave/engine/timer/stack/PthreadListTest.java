package stackweave.engine.timer.stack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.Libc;
import stackweave.linux.ProcessMemory;
import stackweave.linux.SystemCalls;
import stackweave.linux.Tasks;
import stackweave.testing.WaitingThread;

/** The C library's list against what the kernel was told of the same threads. */
class PthreadListTest {
  /** More than glibc's descriptor has, x86-64 and AArch64: 2,304 bytes of 2.36, 1,856 or so. */
  private static final int DESCRIPTOR_BYTES = 4096;

  private final CountDownLatch end = new CountDownLatch(1);
  private final List<Thread> threads = new ArrayList<>();
  private final ProcessMemory memory = new ProcessMemory();
  private PthreadList list;

  @BeforeEach
  void open() {
    list = PthreadList.open(memory);
    assumeTrue(Libc.symbol("_thread_db_pthread_tid") != 0, "glibc before 2.34");
    assertTrue(list != null, "the lists are exported and not found");
  }

  @AfterEach
  void close() throws InterruptedException {
    end.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    memory.close();
  }

  @Test
  void everyThreadHasTheDescriptorThatTheKernelWasToldOf() {
    start(100);
    try (RobustLists robust = new RobustLists(SystemCalls.current().orElseThrow())) {
      int[] tids = Tasks.list(SampledProcess.OWN);
      long[] found = new long[tids.length];
      long[] told = new long[tids.length];
      list.find(tids, tids.length, found);
      robust.find(tids, tids.length, told);
      int compared = 0;
      for (int i = 0; i < tids.length; i++) {
        if (told[i] != 0) { // it has not ended
          assertNotEquals(0, found[i], "thread " + i + " of " + tids.length);
          long within = told[i] - found[i];
          assertTrue(within > 0 && within < DESCRIPTOR_BYTES, "thread " + i + ": " + within);
          compared++;
        }
      }
      assertTrue(compared >= 100, "compared " + compared);
    }
  }

  @Test
  void nobodyIsNotFound() {
    start(1);
    long[] none = {7};
    list.find(new int[] {Integer.MAX_VALUE}, 1, none);
    assertEquals(0, none[0]);
  }

  /** Threads start and end while it walks: what it finds is right, and it comes to an end. */
  @Test
  void aListThatChangesUnderWay() throws Exception {
    Thread storm =
        new Thread(
            () -> {
              while (end.getCount() > 0) {
                Thread one = new Thread(() -> {});
                one.start();
              }
            });
    threads.add(storm);
    start(20);
    storm.start();
    try (RobustLists robust = new RobustLists(SystemCalls.current().orElseThrow())) {
      long until = System.nanoTime() + 1_000_000_000L;
      while (System.nanoTime() < until) {
        int[] tids = Tasks.list(SampledProcess.OWN);
        long[] found = new long[tids.length];
        long[] told = new long[tids.length];
        list.find(tids, tids.length, found);
        robust.find(tids, tids.length, told);
        for (int i = 0; i < tids.length; i++) {
          if (told[i] != 0 && found[i] != 0) {
            long within = told[i] - found[i];
            assertTrue(within > 0 && within < DESCRIPTOR_BYTES, "thread " + i + ": " + within);
          }
        }
      }
    }
  }

  private void start(int count) {
    for (int i = 0; i < count; i++) {
      threads.add(WaitingThread.start("waits-" + i, end));
    }
  }
}
