package stackweave.live.harm;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** CPU time used in a known place. */
final class Spin {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private Spin() {}

  /** Uses so much CPU time on each of two threads of a name; returns the turns made. */
  static long forSeconds(double seconds, String name) throws InterruptedException {
    long nanos = (long) (seconds * 1e9);
    long[] turns = new long[2];
    Thread[] threads = new Thread[turns.length];
    for (int i = 0; i < threads.length; i++) {
      int number = i;
      threads[i] =
          new Thread(
              () -> {
                while (THREADS.getCurrentThreadCpuTime() < nanos) {
                  check(turn(1_000), 1_000);
                  turns[number]++;
                }
              },
              name);
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return turns[0] + turns[1];
  }

  /** The sum of 1 to n, the long way. */
  static long turn(int n) {
    long sum = 0;
    for (int i = 1; i <= n; i++) {
      sum += i;
    }
    return sum;
  }

  /** Ends the JVM if the sum is wrong. */
  static void check(long sum, int n) {
    if (sum != n * (n + 1L) / 2) {
      System.out.println("WRONG: the sum to " + n + " is not " + sum);
      Runtime.getRuntime().halt(1);
    }
  }
}
