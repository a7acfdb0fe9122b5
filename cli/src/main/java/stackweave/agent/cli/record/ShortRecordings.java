package stackweave.agent.cli.record;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Limits recordings of JVMs that end soon: of each user {@link #MOST}, and one more each {@link
 * #SECONDS} seconds. So a program that executes itself again and again neither fills the disk nor
 * keeps the command busy. Not thread-safe.
 */
final class ShortRecordings {
  /** A recording that ends sooner is short. */
  static final int SECONDS = 10;

  static final int MOST = 60;

  private static final long NANOS = TimeUnit.SECONDS.toNanos(SECONDS);

  /** How many each user had, less those that are forgotten. */
  private final Map<Integer, Integer> counts = new HashMap<>();

  private long forgotNanos;

  /**
   * @param nowNanos by {@link System#nanoTime}
   */
  ShortRecordings(long nowNanos) {
    this.forgotNanos = nowNanos;
  }

  /** Counts a recording that has ended, if it was short. */
  void ended(int uid, long nanos) {
    if (nanos < NANOS) {
      counts.merge(uid, 1, Integer::sum);
    }
  }

  /** Whether one more of this user may begin. */
  boolean allow(int uid, long nowNanos) {
    for (; nowNanos - forgotNanos >= NANOS; forgotNanos += NANOS) {
      counts.replaceAll((user, count) -> count - 1);
      counts.values().removeIf(count -> count == 0);
    }
    return counts.getOrDefault(uid, 0) < MOST;
  }
}
