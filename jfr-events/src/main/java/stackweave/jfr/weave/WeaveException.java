package stackweave.jfr.weave;

import java.io.IOException;

/**
 * Samples can't be woven, though the chunk can be read. The message is part of a line for users.
 */
final class WeaveException extends IOException {
  private static final long serialVersionUID = 1L;

  WeaveException(String message) {
    super(message);
  }

  WeaveException(String message, Throwable cause) {
    super(message, cause);
  }
}
