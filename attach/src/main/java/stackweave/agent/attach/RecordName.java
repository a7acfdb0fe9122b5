package stackweave.agent.attach;

/**
 * Names of the recordings that the command {@code record} starts. Each run has its own, so that
 * several can record one JVM at the same time. Stateless.
 */
public final class RecordName {
  private static final String PREFIX = "stackweave-record-";

  private RecordName() {}

  /**
   * The recording name of one run.
   *
   * @param run a random number, different for each run
   */
  public static String of(long run) {
    return PREFIX + Long.toHexString(run);
  }

  /** Whether a recording of this name was started by the command {@code record}. */
  public static boolean isRecord(String name) {
    return name.startsWith(PREFIX);
  }

  /** Whether the text contains such a name. */
  public static boolean isIn(String text) {
    return text.contains(PREFIX);
  }
}
