package stackweave.jfr.read;

import java.util.Optional;

/**
 * The reason why a stack ends. Immutable.
 *
 * @param label a few words, from the recording's legend
 * @param isComplete whether the stack reached the thread's first frame
 */
public record StackEnd(String label, boolean isComplete) {
  private static final String TRUNCATED = "truncated";

  /** Frames are missing within the stack, not at its end; a frame stands for them. */
  private static final String GAP = "missing frames";

  /** The end of time that has no stack, such as the wait for a CPU. */
  private static final String NOT_READ = "no stack was read";

  /** The beginning of two labels. */
  private static final String TOO_DEEP = "too deep";

  /** Whether there was a stack to be read. */
  public boolean isRead() {
    return !label.equals(NOT_READ);
  }

  /**
   * The marker before the first frame: {@code [truncated]}, {@code [stopped: reason]}, or none. For
   * a stack with more frames than requested, it has that number.
   *
   * @param frames the number of frames that the recording has of the stack
   */
  public Optional<String> marker(int frames) {
    if (isComplete || label.equals(GAP)) {
      return Optional.empty();
    }
    if (label.startsWith(TOO_DEEP)) {
      String more = label.substring(TOO_DEEP.length());
      return Optional.of("[stopped: deeper than depth=" + frames + more + "]");
    }
    return Optional.of(label.equals(TRUNCATED) ? "[truncated]" : "[stopped: " + label + "]");
  }
}
