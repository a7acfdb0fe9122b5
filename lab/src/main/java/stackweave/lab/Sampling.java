package stackweave.lab;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import stackweave.samples.work.AgentThread;

/**
 * For the little programs: whether their JVM is being sampled yet, and what of the CPU they had.
 * Without java.nio, which takes direct memory.
 */
public final class Sampling {
  private static final int PATIENCE_MILLIS = 300_000;
  private static final int LOOK_MILLIS = 100;

  /**
   * So many looks in a row at which the drain thread waits: it makes nothing that decodes samples,
   * and does not only wait for a lock.
   */
  private static final int LOOKS_WAITING = 3;

  private Sampling() {}

  /**
   * Waits until the process has perf events or CPU timers, and the drain thread waits for their
   * samples: on a busy machine it needs its time until then.
   *
   * @throws IllegalStateException if that takes five minutes
   */
  public static void await() throws IOException, InterruptedException {
    int waits = 0;
    for (int millis = 0; waits < LOOKS_WAITING; millis += LOOK_MILLIS) {
      if (millis > PATIENCE_MILLIS) {
        throw new IllegalStateException("not sampled");
      }
      waits = isOn() && AgentThread.waits() ? waits + 1 : 0;
      Thread.sleep(LOOK_MILLIS);
    }
  }

  /** Whether the process has perf events or CPU timers. */
  public static boolean isOn() throws IOException {
    return hasPerfEvents() || hasTimers();
  }

  public static boolean hasTimers() throws IOException {
    return read("/proc/self/timers").contains("signal/tid.");
  }

  /** By their rings, which are mapped. */
  public static boolean hasPerfEvents() throws IOException {
    return read("/proc/self/maps").contains("[perf_event]");
  }

  /** CPU time of the calling thread, in ns. */
  public static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static String read(String file) throws IOException {
    try (InputStream in = new FileInputStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }
}
