package stackweave.jfr.control;

import java.io.IOException;

/**
 * CPU time of the whole process from {@code /proc/self/stat}, for use before native calls are
 * possible. Loads no class that a JVM hasn't loaded, and never waits. Thread-safe.
 */
public final class ProcessCpu {
  /** The result if it can't be read: no /proc, or no file descriptor left. */
  public static final long UNKNOWN = -1;

  /** Index of utime among the fields after the name; stime follows it. */
  private static final int UTIME = 11;

  private ProcessCpu() {}

  /**
   * CPU time of all threads since the process began, including those that have ended; up to 20 ms
   * less; in ns. Any thread.
   */
  public static long nanos() {
    try {
      return nanos(OwnProcess.stat());
    } catch (IOException e) {
      return UNKNOWN;
    }
  }

  /** Parses the file's content, of which the last field may be cut. */
  static long nanos(String stat) {
    String[] fields = OwnProcess.fields(stat);
    if (fields.length <= UTIME + 2) {
      return UNKNOWN;
    }
    long ticks = Long.parseLong(fields[UTIME]) + Long.parseLong(fields[UTIME + 1]);
    return ticks * OwnProcess.MILLIS_PER_TICK * 1_000_000L;
  }
}
