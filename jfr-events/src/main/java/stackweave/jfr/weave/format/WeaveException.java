package stackweave.jfr.weave.format;

import java.io.IOException;

/**
 * Samples can't be woven, though the chunk can be read. The message is part of a line for users.
 */
public final class WeaveException extends IOException {
  private static final long serialVersionUID = 1L;

  public WeaveException(String message) {
    super(message);
  }

  public WeaveException(String message, Throwable cause) {
    super(message, cause);
  }
}
