package stackweave.agent.apps;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import jdk.jfr.Recording;

/**
 * For each line of its input, makes a recording of threads that use 5 ms of CPU time each, two at a
 * time, and says how much they used in all, and whether {@code Thread.start} told of threads while
 * it was recorded and afterwards. At an empty line it says whether {@code Thread} has its own code.
 * Needs java.lang open.
 */
public final class HookedThreads {
  private static final long CPU_NANOS = 5_000_000;
  private static final int ROWS = 2;

  /** For the hook to come and go, 20 ms apart: five minutes. */
  private static final int LOOKS = 15_000;

  private static final int THREADS_PER_ROW = 200;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final AtomicLong USED = new AtomicLong();
  private static volatile long result;

  private HookedThreads() {}

  public static void main(String[] args) throws Exception {
    burn(100_000_000); // compiled
    System.out.println("running");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.isEmpty()) {
        System.out.println("removed " + waitForRemoval());
        continue;
      }
      Path file = Path.of(line);
      try (Recording recording = new Recording()) {
        recording.enable("stackweave.NativeSample");
        recording.start();
        boolean hooked = waitForReader(true);
        int before = count();
        USED.set(0);
        long others = cpuOfOthers();
        long start = System.nanoTime();
        runAll();
        double disturbed = (cpuOfOthers() - others) / (double) (System.nanoTime() - start);
        boolean told = count() - before >= ROWS * THREADS_PER_ROW;
        recording.stop();
        recording.dump(file);
        boolean left = waitForReader(false);
        System.out.printf(
            "hooked %s told %s left %s used %d others %.2f%n",
            hooked,
            told,
            left,
            USED.get(),
            Math.max(0, disturbed)); // the kernel's ticks are coarser than our CPU time
      }
    }
  }

  /** CPU time that other processes of this machine have used, in ns. */
  private static long cpuOfOthers() throws Exception {
    String[] all = Files.readAllLines(Path.of("/proc/stat")).get(0).split(" +");
    long ticks = 0;
    for (int i : new int[] {1, 2, 3, 6, 7, 8}) { // user, nice, system, irq, softirq, steal
      ticks += Long.parseLong(all[i]);
    }
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return ticks * 10_000_000 - system.getProcessCpuTime();
  }

  private static void runAll() throws InterruptedException {
    List<Thread> starters = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      Thread starter = new Thread(HookedThreads::startOneAfterTheOther, "starter-" + i);
      starters.add(starter);
      starter.start();
    }
    for (Thread starter : starters) {
      starter.join();
    }
  }

  private static void startOneAfterTheOther() {
    try {
      for (int i = 0; i < THREADS_PER_ROW; i++) {
        Thread thread = new Thread(() -> USED.addAndGet(burn(CPU_NANOS)), "short");
        thread.start();
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns what the thread has used since it began. */
  private static long burn(long nanos) {
    long value = result;
    long used;
    do {
      for (int i = 0; i < 50_000; i++) {
        value = value * 31 + i;
      }
      used = THREADS.getCurrentThreadCpuTime();
    } while (used < nanos);
    result = value;
    return used;
  }

  private static boolean waitForReader(boolean present) throws Exception {
    for (int i = 0; i < LOOKS; i++) {
      if ((reader() != null && reader().get() != null) == present) {
        return true;
      }
      Thread.sleep(20);
    }
    return false;
  }

  /** The reader goes first. */
  private static boolean waitForRemoval() throws Exception {
    for (int i = 0; i < LOOKS; i++) {
      if (isRemoved()) {
        return true;
      }
      Thread.sleep(20);
    }
    return false;
  }

  /**
   * Whether nothing is left of the instrumentation: with a reader, it would tell of this thread.
   */
  private static boolean isRemoved() throws Exception {
    int before = count();
    reader().set(Thread.currentThread());
    Thread thread = new Thread(() -> {});
    thread.start();
    thread.join();
    reader().set(null);
    return count() == before;
  }

  private static int count() throws Exception {
    AtomicInteger count = (AtomicInteger) field("COUNT");
    return count == null ? 0 : count.get();
  }

  @SuppressWarnings("unchecked") // it is what it is
  private static AtomicReference<Thread> reader() throws Exception {
    return (AtomicReference<Thread>) field("READER");
  }

  /** A field of the class that the agent puts into java.lang; null while there is none. */
  private static Object field(String name) throws Exception {
    try {
      Field field = Class.forName("java.lang.StackweaveStartedThreads").getDeclaredField(name);
      field.setAccessible(true);
      return field.get(null);
    } catch (ClassNotFoundException e) {
      return null;
    }
  }
}
