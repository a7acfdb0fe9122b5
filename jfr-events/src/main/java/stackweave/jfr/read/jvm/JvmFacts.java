package stackweave.jfr.read.jvm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import stackweave.jfr.read.RecordingException;

/**
 * How a JVM was started, as JFR's own events say; a recording need not have them. Without them, of
 * properties and variables there are those that name the service. Immutable.
 *
 * @param properties the system properties at its start; empty if they were not recorded
 * @param environment its environment variables; empty if they were not recorded
 * @param command the main class or jar with the application's arguments; "" if it was not recorded
 */
public record JvmFacts(
    Map<String, String> properties, Map<String, String> environment, String command) {

  /** Copies the maps. */
  public JvmFacts {
    properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
  }

  /**
   * Reads the facts of a recording's JVMs. What is said first holds. What has no room in 16 MiB is
   * left out, and of a damaged chunk what is behind the damage.
   *
   * @return by the id of each session that the recording names ({@link
   *     stackweave.jfr.read.SessionFacts#uuid}). A chunk that names none counts for the only
   *     session of its file, and for none where there are several.
   * @throws IOException if the file can't be opened
   * @throws RecordingException if it is no recording; one line for users
   */
  public static Map<String, JvmFacts> read(Path file) throws IOException, RecordingException {
    return JvmEvents.read(file);
  }
}
