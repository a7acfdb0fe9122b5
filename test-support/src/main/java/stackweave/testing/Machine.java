package stackweave.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What figures were measured on, in words. */
public final class Machine {

  private Machine() {}

  /** Its CPUs, their model, architecture and kernel. */
  public static String description() throws IOException {
    return "%d CPUs (%s), %s, kernel %s"
        .formatted(
            Runtime.getRuntime().availableProcessors(),
            model(),
            System.getProperty("os.arch"),
            System.getProperty("os.version"));
  }

  private static String model() throws IOException {
    return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
        .filter(line -> line.startsWith("model name"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse("unknown");
  }

  /** Its load of the last minute, as the kernel has it. */
  public static String load() throws IOException {
    return Files.readString(Path.of("/proc/loadavg")).split(" ")[0];
  }
}
