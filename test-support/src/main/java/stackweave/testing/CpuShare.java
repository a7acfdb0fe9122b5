package stackweave.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * A moment, and what has become of the CPU time of the machine since then, by /proc/stat and
 * /proc/self/stat (proc(5)). Immutable.
 *
 * @param nanos on the clock of {@link System#nanoTime}
 * @param ticks all of it, as the kernel counts them
 * @param idle what nobody used
 * @param stolen what a hypervisor gave to others
 * @param children what this process's children have used that have ended
 */
public record CpuShare(long nanos, long ticks, long idle, long stolen, long children) {
  private static final int STEAL = 7;
  private static final int IDLE = 3;
  private static final int CUTIME = 12;
  private static final double TICKS_PER_SECOND = 100;

  /** Where more of all CPUs is idle, nobody waits for one for long. */
  private static final double MAX_IDLE = 0.1;

  /** Of one CPU: what a child gets at least that has one to itself. */
  private static final double CHILDS_SHARE = 0.5;

  /** The present moment. */
  public static CpuShare now() {
    try {
      long[] machine = numbers(Files.readAllLines(Path.of("/proc/stat")).get(0));
      long[] self = numbers(Files.readString(Path.of("/proc/self/stat")).replaceFirst(".*\\)", ""));
      return new CpuShare(
          System.nanoTime(),
          Arrays.stream(machine).limit(STEAL + 1).sum(),
          machine[IDLE] + machine[IDLE + 1], // that waits for a disk, too
          machine[STEAL],
          self[CUTIME] + self[CUTIME + 1]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The first that stand behind a word. */
  private static long[] numbers(String line) {
    String[] words = line.strip().split("\\s+");
    return Arrays.stream(words)
        .skip(1)
        .limit(CUTIME + 2) // some further ones are no long
        .mapToLong(Long::parseLong)
        .toArray();
  }

  /** How long ago it is, in seconds. */
  public double seconds() {
    return (System.nanoTime() - nanos) / 1e9;
  }

  /**
   * Whether this process's children waited for CPUs most of the time: they got less than half of
   * one, and hardly any was idle.
   */
  public boolean isStarved() {
    return isStarved(now());
  }

  boolean isStarved(CpuShare now) {
    return now.idle - idle < MAX_IDLE * (now.ticks - ticks)
        && (now.children - children) / TICKS_PER_SECOND < CHILDS_SHARE * (now.nanos - nanos) / 1e9;
  }

  /**
   * As {@code 61 s, of which 12 % were stolen, 18 s of CPU time for children, at a load of 5.1}.
   */
  @Override
  public String toString() {
    CpuShare now = now();
    double share = (double) (now.stolen - stolen) / Math.max(1, now.ticks - ticks);
    try {
      return String.format(
          Locale.ROOT,
          "%.0f s, of which %.0f %% were stolen, %.0f s of CPU time for children, at a load of %s",
          seconds(),
          100 * share,
          (now.children - children) / TICKS_PER_SECOND,
          Machine.load());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
