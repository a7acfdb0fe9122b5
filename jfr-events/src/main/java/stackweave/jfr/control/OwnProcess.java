package stackweave.jfr.control;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * Reads from /proc, if it is readable, what {@link ProcessHandle} says of this process: the first
 * use of ProcessHandle takes 10 ms of CPU time, for a pool of threads that wait for child
 * processes. Stateless.
 */
public final class OwnProcess {
  /** USER_HZ is 100 in the kernel's interface of every supported processor. */
  static final long MILLIS_PER_TICK = 10;

  /** Index of starttime among the fields after the name. */
  private static final int STARTTIME = 19;

  private OwnProcess() {}

  /** Its id, in its own PID namespace. */
  public static long pid() {
    try {
      // From the namespace of /proc, which may be another one, to the innermost.
      String ids = lineOf("/proc/self/status", "NSpid:").strip();
      return Long.parseLong(ids.substring(ids.lastIndexOf('\t') + 1));
    } catch (IOException | RuntimeException e) {
      return ProcessHandle.current().pid();
    }
  }

  /** When it started, in ms since 1970, in the kernel's units of 10 ms; 0 if unknown. */
  public static long startMillis() {
    try {
      long bootMillis = 1_000 * Long.parseLong(lineOf("/proc/stat", "btime "));
      return bootMillis + Long.parseLong(fields(stat())[STARTTIME]) * MILLIS_PER_TICK;
    } catch (IOException | RuntimeException e) {
      return ProcessHandle.current().info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }
  }

  /** What follows on the line that begins with {@code key}. */
  private static String lineOf(String file, String key) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(new FileInputStream(file), StandardCharsets.ISO_8859_1))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(key)) {
          return line.substring(key.length());
        }
      }
    }
    throw new IOException(file + " has no line " + key);
  }

  /** The content of /proc/self/stat. */
  static String stat() throws IOException {
    // Not by java.nio, whose buffers count against -XX:MaxDirectMemorySize.
    try (InputStream in = new FileInputStream("/proc/self/stat")) {
      return new String(in.readNBytes(1_024), StandardCharsets.ISO_8859_1);
    }
  }

  /** The fields behind the name, which may contain any character. */
  static String[] fields(String stat) {
    return stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
  }
}
