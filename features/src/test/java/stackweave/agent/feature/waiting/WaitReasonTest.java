package stackweave.agent.feature.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.decode.OwnPipeline;
import stackweave.jfr.event.ThreadState;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;
import stackweave.unwind.snapshot.StackSnapshot;

/** What threads are said to wait for, in calls of the C library. */
class WaitReasonTest {
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  /** Who has stood still for so long is in the call: before it, a class may have to be read. */
  private static final long STILL_NANOS = 1_000_000_000L;

  private static final int LOCK_EX = 2;
  private static final int LOCK_UN = 8;
  private static final int O_CREAT = 0100;

  private final SystemCalls calls = SystemCalls.current().orElseThrow();

  /** What a thread waits for in a call, which is then ended. */
  private void assertWaits(String wanted, Runnable call, Runnable end) throws Exception {
    AtomicInteger tid = new AtomicInteger();
    Thread thread =
        new Thread(
            () -> {
              tid.set(calls.gettid());
              call.run();
            });
    thread.setDaemon(true);
    thread.start();
    try (OwnPipeline own = new OwnPipeline()) {
      WallParts parts = WallParts.open(own.decoder(), own.pipeline, "");
      String state = "";
      long begin = System.nanoTime();
      long cpuBefore = -1;
      long since = begin;
      while (!state.equals(wanted) && System.nanoTime() - since < STILL_NANOS) {
        Thread.sleep(2);
        assertTrue(System.nanoTime() - begin < PATIENCE_NANOS);
        long cpu = tid.get() == 0 ? -1 : parts.clocks.ofThread(tid.get());
        if (cpu < 0 || cpu != cpuBefore) {
          cpuBefore = cpu;
          since = System.nanoTime();
        } else if (parts.stacks.read(tid.get(), 0, 0, cpu, false) == BlockedStacks.Outcome.READ) {
          StackSnapshot snapshot = parts.stacks.snapshot;
          parts.decoder.unwind(snapshot);
          state = label(parts.reason.of(snapshot, parts.decoder.frames, null, false, false));
        }
      }
      assertEquals(wanted, state);
    } finally {
      end.run();
      thread.join();
    }
  }

  /** As terminals and timers. */
  @Test
  void whoReadsAnEventDescriptorWaitsForADevice() throws Exception {
    int fd = Libc.eventfd(0, 0);
    try (NativeBuffer in = NativeBuffer.allocate(8);
        NativeBuffer out = NativeBuffer.allocate(8)) {
      out.bytes().putLong(0, 1);
      assertWaits(
          "device", () -> Libc.read(fd, in.address(), 8), () -> Libc.write(fd, out.address(), 8));
    } finally {
      Libc.close(fd);
    }
  }

  @Test
  void whoLocksAFileWaitsForTheFile(@TempDir Path directory) throws Exception {
    String file = directory.resolve("locked").toString();
    int first = Libc.open(file, O_CREAT, 0600);
    int second = Libc.open(file, O_CREAT, 0600);
    Function flock = NativeLibrary.getInstance("c").getFunction("flock");
    try {
      assertEquals(0, flock.invokeInt(new Object[] {first, LOCK_EX}));
      assertWaits(
          "file",
          () -> flock.invokeInt(new Object[] {second, LOCK_EX}),
          () -> flock.invokeInt(new Object[] {first, LOCK_UN}));
    } finally {
      Libc.close(first);
      Libc.close(second);
    }
  }

  private static String label(int code) {
    for (ThreadState state : ThreadState.values()) {
      if (state.code() == code) {
        return state.label();
      }
    }
    return ThreadState.label(code);
  }
}
