package stackweave.live.stacks;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import stackweave.lab.Sampling;

/**
 * Methods of a few instructions that are called and not inlined: much of their time is spent in
 * prologues and epilogues. {@code SmallMethodsApp SECONDS}, of CPU time.
 */
final class SmallMethodsApp {
  static final String CALLER = "caller";

  private SmallMethodsApp() {}

  public static void main(String[] args) throws Exception {
    Sampling.await();
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long end = threads.getCurrentThreadCpuTime() + (long) (Double.parseDouble(args[0]) * 1e9);
    long sum = 0;
    while (threads.getCurrentThreadCpuTime() < end) {
      for (int i = 0; i < 20_000; i++) {
        sum += caller(i);
      }
    }
    System.out.println(sum);
  }

  private static long caller(long x) {
    return choose(x, x + 1, x + 2) + rotate(x, 3) + compare(x, x + 1) + choose(x + 3, x, x + 1);
  }

  private static long choose(long x, long y, long z) {
    return (x & y) ^ (~x & z);
  }

  private static long rotate(long x, int distance) {
    return x >>> distance | x << -distance;
  }

  private static int compare(long x, long y) {
    return x < y ? -1 : x == y ? 0 : 1;
  }
}
