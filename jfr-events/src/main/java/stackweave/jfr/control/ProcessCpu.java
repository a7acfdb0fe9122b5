package stackweave.jfr.control;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * CPU time of the whole process as {@code /proc/self/stat} states it: for when no native call can
 * be made yet. Loads no class that a JVM hasn't, and no thread waits for anything in it.
 */
public final class ProcessCpu {
  /** Where it can't be told: no /proc, or no file descriptor is left. */
  public static final long UNKNOWN = -1;

  /** USER_HZ is 100 on every processor that the agent knows: the kernel's promise to programs. */
  private static final long NANOS_PER_TICK = 10_000_000L;

  /** Longer than all fields up to the times; the name in it has at most 64 bytes. */
  private static final int BYTES = 512;

  /** Of the fields behind the name, utime; stime follows it. */
  private static final int UTIME = 11;

  private ProcessCpu() {}

  /**
   * What all threads, those that have ended included, have used since the process began, up to 20
   * ms less; in nanoseconds. Any thread.
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

  /** The same out of the first {@code length} bytes of the file. The name may hold anything. */
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
