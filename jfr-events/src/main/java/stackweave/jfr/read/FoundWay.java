package stackweave.jfr.read;

/**
 * How a frame was found from the one that it called. Immutable.
 *
 * @param label a few words, from the recording's legend; empty for the usual way, by unwind tables
 * @param isGuess whether it can have led to a wrong frame, which is shown then
 */
public record FoundWay(String label, boolean isGuess) {
  /** By unwind tables, or what the JVM says of its own frames. */
  public static final FoundWay TABLES = new FoundWay("", false);
}
