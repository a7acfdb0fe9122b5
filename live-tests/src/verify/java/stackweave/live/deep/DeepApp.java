package stackweave.live.deep;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.SplittableRandom;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import stackweave.lab.Sampling;
import stackweave.samples.lab.Variant;

/**
 * A thread deep in a recursion: {@code DeepApp java DEPTH MILLIS}, {@code DeepApp native DEPTH
 * MILLIS} spin at its bottom for so much CPU time; {@code DeepApp moving|blind DEPTH MILLIS
 * SPIN_NANOS} goes down and up all the time, from one of two callers to one of two leaves that
 * belong together. In {@code moving} the frames in between know which, in {@code blind} they are
 * the same for both.
 */
final class DeepApp {

  /** The time at the bottom. */
  @Name("test.Deep")
  @Label("Deep")
  static final class DeepEvent extends Event {
    @Label("Phase")
    String phase;
  }

  private static boolean announce;
  private static boolean blindKind;
  private static long spinNanos;
  private static final int SETTLING_MILLIS = 1_000;
  private static final int CALIBRATION = 20_000_000;

  private DeepApp() {}

  public static void main(String[] args) throws Exception {
    int depth = Integer.parseInt(args[1]);
    long millis = Long.parseLong(args[2]);
    Sampling.await();
    Thread deep = new Thread(() -> run(args, depth, millis), "deep");
    deep.start();
    deep.join();
  }

  private static void run(String[] args, int depth, long millis) {
    switch (args[0]) {
      case "java" -> spin(depth, millis);
      case "native" -> spinNative(depth, millis);
      case "moving" -> move(depth, millis, Long.parseLong(args[3]), false);
      case "blind" -> move(depth, millis, Long.parseLong(args[3]), true);
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static void spin(int depth, long millis) {
    warmUp();
    announce = true;
    spinNanos = millis * 1_000_000;
    System.out.println(rootA(depth));
  }

  private static void warmUp() {
    long sum = 0;
    for (int i = 0; i < 20_000; i++) {
      sum += rootA(20) + rootB(20);
    }
    System.out.println(sum);
  }

  private static void spinNative(int depth, long millis) {
    Variant variant = Variant.load(Variant.built().get(0));
    DeepEvent event = new DeepEvent();
    event.phase = "deep";
    try {
      Method run =
          variant.type("Recursion").getDeclaredMethod("run", long.class, int.class, int.class);
      run.setAccessible(true);
      long begin = cpuNanos();
      long x = (long) run.invoke(null, 1, 1, CALIBRATION);
      long rounds = (long) (CALIBRATION * (double) millis * 1_000_000 / (cpuNanos() - begin));
      event.begin();
      x += (long) run.invoke(null, x, depth, (int) Math.min(rounds, Integer.MAX_VALUE));
      event.commit();
      System.out.println(x);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void move(int depth, long millis, long nanos, boolean blind) {
    warmUp();
    spinNanos = nanos;
    SplittableRandom random = new SplittableRandom(1);
    DeepEvent event = new DeepEvent();
    event.phase = "deep";
    event.begin();
    long end = cpuNanos() + millis * 1_000_000;
    long x = 0;
    while (cpuNanos() < end) {
      boolean a = random.nextBoolean();
      if (blind) {
        blindKind = a;
        x += a ? blindA(depth) : blindB(depth);
      } else {
        x += a ? rootA(depth) : rootB(depth);
      }
    }
    event.commit();
    System.out.println(x);
  }

  private static long rootA(int depth) {
    return down(depth, 1, 2, 3, true) + 1;
  }

  private static long rootB(int depth) {
    return down(depth, 4, 5, 6, false) + 2;
  }

  private static long blindA(int depth) {
    return blind(depth, 7, 8, 9) + 1;
  }

  private static long blindB(int depth) {
    return blind(depth, 7, 8, 9) + 2;
  }

  /** All arguments live on across the call: so a compiled frame has some size. */
  private static long down(int n, long a, long b, long c, boolean kind) {
    if (n == 0) {
      return kind ? leafA(a) : leafB(a);
    }
    long x = down(n - 1, a + 1, b ^ a, c + b, kind);
    return x + a + b + c + n;
  }

  private static long blind(int n, long a, long b, long c) {
    if (n == 0) {
      return blindKind ? leafA(a) : leafB(a);
    }
    long x = blind(n - 1, a + 1, b ^ a, c + b);
    return x + a + b + c + n;
  }

  private static long leafA(long x) {
    return x ^ stay();
  }

  private static long leafB(long x) {
    return x + stay();
  }

  private static long stay() {
    if (!announce) {
      return work(spinNanos);
    }
    DeepEvent event = new DeepEvent();
    event.phase = "deep";
    event.begin();
    long end = cpuNanos() + spinNanos;
    long x = 0;
    while (cpuNanos() < end) {
      x += work(1_000_000);
    }
    event.commit();
    settle();
    return x;
  }

  /** So that what is read late of the last samples is still there. */
  private static void settle() {
    try {
      Thread.sleep(SETTLING_MILLIS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long work(long nanos) {
    if (nanos == 0) {
      return 1;
    }
    long end = System.nanoTime() + nanos;
    long x = 1;
    while (System.nanoTime() < end) {
      for (int i = 0; i < 1_000; i++) {
        x = x * 31 + i;
      }
    }
    return x;
  }

  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
