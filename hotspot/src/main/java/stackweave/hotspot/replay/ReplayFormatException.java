package stackweave.hotspot.replay;

import java.io.IOException;

/** A malformed replay file: of another format, cut short, or contradictory. */
public final class ReplayFormatException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong, in a few words that follow the file's name
   */
  public ReplayFormatException(String message) {
    super(message);
  }
}
