package stackweave.jfr.control;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * CPU time of the whole process from {@code /proc/self/stat}, for use before native calls are
 * possible. Loads no class that a JVM hasn't loaded, and never waits. Thread-safe.
 */
public final class ProcessCpu {
  /** The result if it can't be read: no /proc, or no file descriptor left. */
  public static final long UNKNOWN = -1;

  /** USER_HZ is 100 in the kernel's interface of every supported processor. */
  private static final long NANOS_PER_TICK = 10_000_000L;

  /** Bytes read: more than all fields up to the times; the name among them has at most 64 bytes. */
  private static final int BYTES = 512;

  /** Index of utime among the fields after the name; stime follows it. */
  private static final int UTIME = 11;

  private ProcessCpu() {}

  /**
   * CPU time of all threads since the process began, including those that have ended; up to 20 ms
   * less; in ns. Any thread.
   */
  public static long nanos() {
    // Not by java.nio, whose buffers count against -XX:MaxDirectMemorySize.
    try (InputStream in = new FileInputStream("/proc/self/stat")) {
      byte[] stat = new byte[BYTES];
      return nanos(stat, in.read(stat));
    } catch (IOException e) {
      return UNKNOWN;
    }
  }

  /** Parses the first {@code length} bytes of the file. The name may contain any character. */
  static long nanos(byte[] stat, int length) {
    int at = length - 1;
    while (at >= 0 && stat[at] != ')') {
      at--;
    }
    long ticks = 0;
    long number = 0;
    int field = -1;
    for (at++; at < length; at++) {
      if (stat[at] != ' ') {
        number = 10 * number + stat[at] - '0';
        continue;
      }
      if (field == UTIME || field == UTIME + 1) {
        ticks += number;
      }
      if (field == UTIME + 1) {
        return ticks * NANOS_PER_TICK;
      }
      number = 0;
      field++;
    }
    return UNKNOWN;
  }
}
