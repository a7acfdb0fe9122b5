package stackweave.agent;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Whether this JVM will most likely be recorded from its start: then what takes samples is loaded
 * while JFR starts, which takes as long. A guess: recordings are asked later what they want. Reads
 * the command line and the environment as they are, since premain has no time for more.
 */
final class RecordingAtStart {
  private static final String OPTION = "-XX:StartFlightRecording";

  /** With a limit, it is seen first whether there is room. */
  private static final String METASPACE_LIMIT = "-XX:MaxMetaspaceSize";

  /** On a smaller heap, the application's own start comes first. */
  private static final long LEAST_HEAP = 512L << 20;

  private static final int MAX_BYTES = 1 << 17;

  private RecordingAtStart() {}

  /**
   * @param explicitOnly whether only a recording counts that names an event of ours
   */
  static boolean isLikely(boolean explicitOnly) {
    if (Runtime.getRuntime().maxMemory() < LEAST_HEAP) {
      return false;
    }
    return isLikely(explicitOnly, read("/proc/self/cmdline"), read("/proc/self/environ"));
  }

  static boolean isLikely(boolean explicitOnly, String commandLine, String environment) {
    return asks(commandLine, explicitOnly) || asks(environment, explicitOnly)
        ? !commandLine.contains(METASPACE_LIMIT) && !environment.contains(METASPACE_LIMIT)
        : false;
  }

  private static boolean asks(String options, boolean explicitOnly) {
    int option = options.indexOf(OPTION);
    return option >= 0 && (!explicitOnly || options.indexOf("stackweave.", option) >= 0);
  }

  /** The first part of a file; empty if it can't be read. */
  private static String read(String file) {
    // Not by java.nio, whose buffers count against -XX:MaxDirectMemorySize.
    try (InputStream in = new FileInputStream(file)) {
      return new String(in.readNBytes(MAX_BYTES), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }
}
