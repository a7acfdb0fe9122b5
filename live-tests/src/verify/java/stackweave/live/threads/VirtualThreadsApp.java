package stackweave.live.threads;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import stackweave.lab.Sampling;
import stackweave.samples.lab.Variant;
import stackweave.samples.work.Round;

/**
 * Virtual threads whose work says by its frames which thread it is: {@code VirtualThreadsApp
 * CPU_SECONDS}. Worker i runs work_i and nobody else does; all of them allocate, and are unmounted
 * every few milliseconds. {@code deep} parks at the bottom of a recursion and works on its way
 * back, {@code lab} calls C that calls back, and others without a name live for half a millisecond.
 *
 * <p>Virtual threads by reflection, since the tests are compiled for JDK 17.
 */
final class VirtualThreadsApp {
  static final int DEPTH = 300;

  private static final long PIECE_NANOS = 3_000_000;

  private static volatile boolean stopping;
  private static volatile long result;
  private static volatile Object kept;

  private VirtualThreadsApp() {}

  public static void main(String[] args) throws Exception {
    Sampling.await();
    List<LongConsumer> work =
        List.of(
            VirtualThreadsApp::work0,
            VirtualThreadsApp::work1,
            VirtualThreadsApp::work2,
            VirtualThreadsApp::work3,
            VirtualThreadsApp::work4,
            VirtualThreadsApp::work5);
    for (int i = 0; i < work.size(); i++) {
      LongConsumer mine = work.get(i);
      start("worker-" + i, () -> workOn(mine));
    }
    start("deep", VirtualThreadsApp::deep);
    Round callbacks = Variant.load(Variant.built().get(0)).phase("Callbacks");
    start("lab", () -> callBack(callbacks));
    OperatingSystemMXBean process =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long end = process.getProcessCpuTime() + Long.parseLong(args[0]) * 1_000_000_000L;
    while (process.getProcessCpuTime() < end) {
      start("", VirtualThreadsApp::shortLived);
      Thread.sleep(5);
    }
    stopping = true;
    Thread.sleep(500);
  }

  private static void start(String name, Runnable task) throws ReflectiveOperationException {
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    Class<?> type = Class.forName("java.lang.Thread$Builder");
    if (!name.isEmpty()) {
      builder = type.getMethod("name", String.class).invoke(builder, name);
    }
    Method start = type.getMethod("start", Runnable.class);
    start.invoke(builder, task);
  }

  private static void workOn(LongConsumer work) {
    SplittableRandom random = new SplittableRandom();
    while (!stopping) {
      work.accept(random.nextLong(PIECE_NANOS));
      if (random.nextInt(3) == 0) {
        LockSupport.parkNanos(200_000);
      } else {
        Thread.yield();
      }
    }
  }

  private static void callBack(Round callbacks) {
    while (!stopping) {
      result += callbacks.run();
      Thread.yield();
    }
  }

  private static void deep() {
    while (!stopping) {
      result += descend(DEPTH);
    }
  }

  private static long descend(int depth) {
    if (depth == 0) {
      burn(1_000_000);
      LockSupport.parkNanos(100_000);
      return 0;
    }
    long below = descend(depth - 1);
    if (depth % 30 == 0) {
      burn(300_000);
    }
    return below + 1;
  }

  private static void shortLived() {
    burn(500_000);
  }

  private static void work0(long nanos) {
    burn(nanos);
  }

  private static void work1(long nanos) {
    burn(nanos);
  }

  private static void work2(long nanos) {
    burn(nanos);
  }

  private static void work3(long nanos) {
    burn(nanos);
  }

  private static void work4(long nanos) {
    burn(nanos);
  }

  private static void work5(long nanos) {
    burn(nanos);
  }

  private static void burn(long nanos) {
    long end = System.nanoTime() + nanos;
    long x = nanos;
    while (System.nanoTime() < end) {
      byte[] garbage = new byte[64 + (int) (x & 63)];
      kept = garbage;
      for (int i = 0; i < 100; i++) {
        x = x * 31 + garbage.length;
      }
    }
    result += x;
  }
}
