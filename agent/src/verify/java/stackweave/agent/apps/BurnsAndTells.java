package stackweave.agent.apps;

import java.lang.management.ManagementFactory;

/**
 * Uses the CPU for as many milliseconds of CPU time as told, on its main thread, and prints what
 * main used.
 */
public final class BurnsAndTells {

  private BurnsAndTells() {}

  public static void main(String[] arguments) {
    long nanos = Long.parseLong(arguments[0]) * 1_000_000L;
    long begin = used();
    double sum = 0;
    while (used() - begin < nanos) {
      for (int i = 0; i < 10_000; i++) {
        sum += Math.sqrt(i);
      }
    }
    System.out.println(sum > 0 ? used() - begin : 0);
  }

  private static long used() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
