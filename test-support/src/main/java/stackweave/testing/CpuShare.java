package stackweave.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * A moment, and what has become of the CPU time of the machine since then, by the first line of
 * /proc/stat (proc(5)). Immutable.
 *
 * @param nanos on the clock of {@link System#nanoTime}
 * @param ticks all of it, as the kernel counts them
 * @param stolen what a hypervisor gave to others
 */
public record CpuShare(long nanos, long ticks, long stolen) {
  private static final int STEAL = 7;

  /** The present moment. */
  public static CpuShare now() {
    try {
      String line = Files.readAllLines(Path.of("/proc/stat")).get(0);
      String[] words = line.split(" +");
      long all = 0;
      for (int i = 1; i <= STEAL + 1; i++) {
        all += Long.parseLong(words[i]);
      }
      return new CpuShare(System.nanoTime(), all, Long.parseLong(words[STEAL + 1]));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How long ago it is, in seconds. */
  public double seconds() {
    return (System.nanoTime() - nanos) / 1e9;
  }

  /** As {@code 61 s, of which 12 % were stolen, at a load of 5.1}. */
  @Override
  public String toString() {
    CpuShare now = now();
    double share = (double) (now.stolen - stolen) / Math.max(1, now.ticks - ticks);
    try {
      return String.format(
          Locale.ROOT,
          "%.0f s, of which %.0f %% were stolen, at a load of %s",
          seconds(),
          100 * share,
          Machine.load());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
