package stackweave.hotspot.replay;

import java.io.IOException;

/** What should be a replay file is none, is cut short, or contradicts itself. */
public final class ReplayFormatException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong, in a few words that follow the file's name
   */
  public ReplayFormatException(String message) {
    super(message);
  }
}
