package stackweave.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Sizes that the kernel states in kB, such as in /proc/PID/status. Thread-safe. */
public final class Kibibytes {
  private Kibibytes() {}

  /**
   * The figure of a line of a file.
   *
   * @param key what the line begins with, such as {@code VmRSS:}
   */
  public static long in(Path file, String key) throws IOException {
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith(key)) {
        return Long.parseLong(line.substring(key.length()).replace("kB", "").strip());
      }
    }
    throw new IOException(file + " has no " + key);
  }
}
