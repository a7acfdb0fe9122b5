package stackweave.jfr.read.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.Deflater;
import jdk.jfr.Recording;
import stackweave.jfr.Programs;
import stackweave.testing.Jdk;

/**
 * Work of all sorts that JFR has events with stack traces of: Java code, interpreted, compiled and
 * inlined, also of hidden classes and deep; native code; allocations; monitors, parking, waiting
 * for monitors and for work.
 */
public final class TracedWork {
  private static final int DEEP = 100;
  private static final Object MONITOR = new Object();
  private static volatile boolean isOver;

  /** Keeps what is allocated from being optimised away. */
  private static volatile Object kept;

  private TracedWork() {}

  /** Works for a time, in ms. */
  public static void main(String[] arguments) throws Exception {
    workFor(Long.parseLong(arguments[0]));
  }

  /** Has it work in a JVM of its own, with the JVM's option that leaves a recording. */
  static void record(Jdk jdk, String option) throws Exception {
    Programs.Outcome outcome =
        Programs.java(
            jdk, List.of(option, "-XX:+UseParallelGC"), TracedWork.class, List.of("1500"));
    assertEquals(0, outcome.exit(), outcome.output());
  }

  /**
   * Records half a second of it in this JVM: execution samples, waits for locks, and more events.
   */
  public static void record(Path file, String... more) throws Exception {
    try (Recording recording = new Recording()) {
      recording.enable("jdk.JVMInformation");
      recording.enable("jdk.ExecutionSample").withPeriod(Duration.ofMillis(10));
      recording.enable("jdk.NativeMethodSample").withPeriod(Duration.ofMillis(10));
      for (String event :
          List.of("jdk.JavaMonitorEnter", "jdk.ThreadPark", "jdk.JavaMonitorWait")) {
        recording.enable(event).withThreshold(Duration.ofMillis(1));
      }
      for (String event : more) {
        recording.enable(event);
      }
      recording.start();
      workFor(500);
      recording.stop();
      recording.dump(file);
    }
  }

  private static void workFor(long millis) throws Exception {
    isOver = false;
    List<Thread> threads = new ArrayList<>();
    threads.add(new Thread(TracedWork::runJava, "java work"));
    threads.add(new Thread(TracedWork::runNative, "native work"));
    threads.add(new Thread(TracedWork::allocate, "allocations"));
    threads.add(new Thread(TracedWork::lock, "lock 1"));
    threads.add(new Thread(TracedWork::lock, "lock 2"));
    threads.add(new Thread(TracedWork::waitForWork, "pool"));
    threads.add(virtual(TracedWork::runJava));
    for (Thread thread : threads) {
      thread.start();
    }
    Thread.sleep(millis);
    isOver = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** A virtual thread where the JVM has them. */
  private static Thread virtual(Runnable work) throws ReflectiveOperationException {
    if (Runtime.version().feature() < 21) {
      return new Thread(work, "instead of a virtual one");
    }
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    Class<?> type = Class.forName("java.lang.Thread$Builder");
    builder = type.getMethod("name", String.class).invoke(builder, "virtual work");
    return (Thread) type.getMethod("unstarted", Runnable.class).invoke(builder, work);
  }

  private static void runJava() {
    try {
      MethodHandle handle =
          MethodHandles.lookup()
              .findStatic(TracedWork.class, "sum", MethodType.methodType(long.class, long.class));
      MethodHandle twice = MethodHandles.filterReturnValue(handle, handle);
      long sum = 0;
      while (!isOver) {
        long begin = sum;
        sum += deep(DEEP, () -> sum(begin));
        sum += (long) twice.invokeExact(sum);
        sum += sum(sum);
      }
      kept = sum;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** What is deep, calls; it makes a hidden class. */
  private interface Leaf {
    long run();
  }

  private static long deep(int depth, Leaf leaf) {
    return depth == 0 ? leaf.run() : deep(depth - 1, leaf) + 1;
  }

  static long sum(long seed) {
    long sum = seed;
    for (int i = 0; i < 200_000; i++) {
      sum = step(sum) ^ i;
    }
    return sum;
  }

  private static long step(long value) {
    return value * 0x9E3779B97F4A7C15L + 1;
  }

  private static void runNative() {
    byte[] in = new byte[1 << 20];
    byte[] out = new byte[1 << 20];
    for (int i = 0; i < in.length; i++) {
      in[i] = (byte) (i * i >>> 3);
    }
    while (!isOver) {
      Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
      deflater.setInput(in);
      deflater.finish();
      deflater.deflate(out);
      deflater.end();
    }
  }

  private static void allocate() {
    for (int i = 0; !isOver; i++) {
      kept = new byte[1_000 + i % 1_000];
      kept = new int[4][i % 100];
      kept = new String[i % 50];
      kept = String.valueOf(i);
      kept = new byte[100_000];
    }
  }

  private static void lock() {
    Object blocker = new Object();
    while (!isOver) {
      synchronized (MONITOR) {
        LockSupport.parkNanos(blocker, 5_000_000);
      }
      synchronized (blocker) {
        try {
          blocker.wait(3);
        } catch (InterruptedException e) {
          return;
        }
      }
      Thread.onSpinWait();
    }
  }

  /** As a thread of a pool that has none. */
  private static void waitForWork() {
    LinkedBlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
    while (!isOver) {
      try {
        work.poll(5, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }
}
