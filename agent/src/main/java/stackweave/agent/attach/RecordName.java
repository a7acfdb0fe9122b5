package stackweave.agent.attach;

/**
 * The names of the recordings that the command {@code record} starts: each run of it has its own,
 * so that several can record one JVM at the same time.
 */
public final class RecordName {
  private static final String PREFIX = "stackweave-record-";

  private RecordName() {}

  /**
   * A name.
   *
   * @param run a number that no other run has
   */
  public static String of(long run) {
    return PREFIX + Long.toHexString(run);
  }

  /** Whether a recording of this name was started by the command. */
  public static boolean isRecord(String name) {
    return name.startsWith(PREFIX);
  }

  /** Whether such a name stands in a text. */
  public static boolean isIn(String text) {
    return text.contains(PREFIX);
  }

  /** Whether this name stands in a text before any other such name, or none does. */
  public static boolean isFirstIn(String text, String name) {
    int first = text.indexOf(PREFIX);
    return first < 0 || text.startsWith(name, first);
  }
}
