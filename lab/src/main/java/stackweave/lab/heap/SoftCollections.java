package stackweave.lab.heap;

import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import stackweave.label.StackweaveContext;

/**
 * {@code SoftCollections SECONDS [MILLIS]}: works, and in the second third of the time collects
 * garbage all the time, or each so many milliseconds, so that a JVM which keeps no soft references
 * frees what they lead to. Prints when that third began and ended. From the second third on it
 * works within one scope of labels.
 */
public final class SoftCollections {
  private SoftCollections() {}

  /** Ends after so many seconds. */
  @SuppressWarnings("try") // the scope is closed, and not used otherwise
  public static void main(String[] args) {
    double seconds = Double.parseDouble(args[0]);
    double used = burn(seconds / 3);
    double between = args.length > 1 ? Double.parseDouble(args[1]) / 1e3 : 0;
    try (StackweaveContext scope = StackweaveContext.open("job", "collections")) {
      System.out.println("began " + Instant.now());
      long end = System.nanoTime() + (long) (seconds / 3 * 1e9);
      while (System.nanoTime() - end < 0) {
        System.gc();
        used += burn(between);
      }
      System.out.println("ended " + Instant.now());
      used += burn(seconds / 3);
    }
    System.out.println(used);
  }

  private static double burn(double seconds) {
    long end = System.nanoTime() + (long) (seconds * 1e9);
    double sum = 0;
    while (System.nanoTime() - end < 0) {
      for (int i = 1; i < 10_000; i++) {
        sum += Math.sqrt(i);
      }
      // It need not have a CPU of its own.
      LockSupport.parkNanos(50_000);
    }
    return sum;
  }
}
