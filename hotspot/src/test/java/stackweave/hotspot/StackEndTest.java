package stackweave.hotspot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import stackweave.hotspot.runtime.JavaThreads;
import stackweave.unwind.Architecture;
import stackweave.unwind.rule.RuleTable;

/** Where stacks end, as the kernel's view of a thread that blocks bears out. */
class StackEndTest {
  /** Of the thread below: HotSpot adds a guard zone and alignment to what is asked for. */
  private static final long STACK_BYTES = 1 << 20;

  private static final long ROUNDING = 64 * 1024;

  @Test
  void endLiesAboveTheStackPointerAndWithinTheStackAskedFor() throws Exception {
    ProcessMemory memory = new ProcessMemory();
    HotSpot hotspot =
        HotSpot.open(
            new ProcessModules(new RuleTable(Architecture.X86_64), memory).libjvm(), memory);
    CountDownLatch end = new CountDownLatch(1);
    Runnable wait =
        () -> {
          try {
            end.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    Thread thread = new Thread(null, wait, "stack-end", STACK_BYTES);
    thread.start();
    try {
      while (thread.getState() != Thread.State.WAITING) {
        Thread.sleep(1);
      }
      int checked = 0;
      for (JavaThreads.JavaThread candidate : hotspot.threads().all()) {
        Path task = Path.of("/proc/self/task/" + candidate.osThreadId());
        if (Files.readString(task.resolve("comm")).strip().equals("stack-end")) {
          long sp = Long.decode(Files.readString(task.resolve("syscall")).split("\\s+")[7]);
          long above = hotspot.threads().stackEnd(candidate.address()) - sp;
          assertTrue(above > 0 && above < STACK_BYTES + ROUNDING, above + " bytes above sp");
          checked++;
        }
      }
      assertEquals(1, checked);
    } finally {
      end.countDown();
      thread.join();
    }
  }

  @Test
  void noThreadHasNoEnd() throws Exception {
    ProcessMemory memory = new ProcessMemory();
    HotSpot hotspot =
        HotSpot.open(
            new ProcessModules(new RuleTable(Architecture.X86_64), memory).libjvm(), memory);
    assertEquals(0, hotspot.threads().stackEnd(0));
    assertEquals(0, hotspot.threads().stackEnd(8));
  }
}
