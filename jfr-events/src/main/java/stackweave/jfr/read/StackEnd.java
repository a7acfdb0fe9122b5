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

  /**
   * What stands before the first frame: {@code [truncated]}, {@code [stopped: reason]}, nothing.
   */
  public Optional<String> marker() {
    if (isComplete) {
      return Optional.empty();
    }
    return Optional.of(label.equals(TRUNCATED) ? "[truncated]" : "[stopped: " + label + "]");
  }
}
