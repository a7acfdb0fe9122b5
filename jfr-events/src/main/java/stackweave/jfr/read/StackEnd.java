package stackweave.jfr.read;

import java.util.Optional;

/**
 * Why a stack ends where it ends.
 *
 * @param label a few words, from the recording's legend
 * @param isComplete whether the stack reached the thread's first frame
 */
public record StackEnd(String label, boolean isComplete) {
  private static final String TRUNCATED = "truncated";

  /** The beginning of two labels. */
  private static final String TOO_DEEP = "too deep";

  /**
   * What stands before the first frame: {@code [truncated]}, {@code [stopped: reason]}, nothing. Of
   * a stack that has more frames than were asked for, it says how many that were.
   *
   * @param frames how many frames the recording has of the stack
   */
  public Optional<String> marker(int frames) {
    if (isComplete) {
      return Optional.empty();
    }
    if (label.startsWith(TOO_DEEP)) {
      String more = label.substring(TOO_DEEP.length());
      return Optional.of("[stopped: deeper than depth=" + frames + more + "]");
    }
    return Optional.of(label.equals(TRUNCATED) ? "[truncated]" : "[stopped: " + label + "]");
  }
}
