package stackweave.agent.drain;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Whether this JVM will most likely be sampled from its start: then what takes samples is loaded
 * while JFR starts, which takes as long. A guess, by the text of the command line and of the
 * environment: what the recording wants is asked when it runs. Immutable.
 *
 * @param explicitOnly whether only a recording counts that names an event of ours
 */
public record RecordingAtStart(boolean explicitOnly) {
  private static final String OPTION = "-XX:StartFlightRecording";
  private static final String OURS = "stackweave.";
  private static final String DISABLED = "stackweave.NativeSample#enabled=false";
  private static final int MAX_BYTES = 1 << 17;

  /** Whether the command line or the environment say so. */
  public boolean isLikely() {
    return isLikely(read("/proc/self/cmdline")) || isLikely(read("/proc/self/environ"));
  }

  boolean isLikely(String options) {
    int option = options.indexOf(OPTION);
    return option >= 0
        && (!explicitOnly || options.indexOf(OURS, option) >= 0)
        && options.indexOf(DISABLED, option) < 0;
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
