package stackweave.jfr.read;

/** A file has no readable stacks. The message is one line for users, with the file's name. */
public final class RecordingException extends Exception {
  private static final long serialVersionUID = 1L;

  /** A failure with {@code message}, one line for users. */
  public RecordingException(String message) {
    super(message);
  }

  /** A failure with {@code message}, one line for users, and its {@code cause}. */
  public RecordingException(String message, Throwable cause) {
    super(message, cause);
  }
}
