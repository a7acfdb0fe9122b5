package stackweave.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** What figures were measured on, in words; what is said of recordings where it was busy. */
public final class Machine {

  /** What exports say of a recording for the machine alone, one or several in a line. */
  private static final Pattern LOAD =
      Pattern.compile(
          ".*: (the JVM ended before [^;]* is not counted(; )?)?"
              + "((sampling began|\\d+ samples only|drain thread)\\b.*)?");

  private Machine() {}

  /**
   * Whether a line that a command printed says only what a slow or busy machine does to a
   * recording: a late begin, an early end, few samples, or these thinned out.
   */
  public static boolean isOfLoad(String line) {
    return LOAD.matcher(line).matches();
  }

  /** Its CPUs, their model, architecture and kernel. */
  public static String description() throws IOException {
    return Runtime.getRuntime().availableProcessors()
        + " CPUs ("
        + model()
        + "), "
        + System.getProperty("os.arch")
        + ", kernel "
        + System.getProperty("os.version");
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
