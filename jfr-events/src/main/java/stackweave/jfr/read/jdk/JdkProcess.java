package stackweave.jfr.read.jdk;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;

/**
 * The process of a chunk, as the agent's session has it, or else JFR; texts are empty and numbers 0
 * where neither does. Immutable.
 *
 * @param uuid unique to the process
 * @param pid its process id
 * @param start when its JVM started; the epoch if unknown
 * @param schema of the agent's events
 * @param jdk name and version of its JVM
 * @param abi architecture and C library
 * @param agent the agent's version
 */
public record JdkProcess(
    String uuid, long pid, Instant start, int schema, String jdk, String abi, String agent) {
  /** Nothing is known. */
  static final JdkProcess UNKNOWN = new JdkProcess("", 0, Instant.EPOCH, 0, "", "", "");

  /** A process of which JFR says this; its id is always the same. */
  static JdkProcess ofJvm(long pid, Instant start, String jdk) {
    byte[] name = (pid + "@" + start.toEpochMilli()).getBytes(StandardCharsets.UTF_8);
    return new JdkProcess(UUID.nameUUIDFromBytes(name).toString(), pid, start, 0, jdk, "", "");
  }
}
