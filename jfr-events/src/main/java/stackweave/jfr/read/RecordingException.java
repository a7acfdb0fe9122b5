package stackweave.jfr.read;

/**
 * A file that holds no stacks to read. The message is one line for people, with the file's name.
 */
public final class RecordingException extends Exception {
  private static final long serialVersionUID = 1L;

  public RecordingException(String message) {
    super(message);
  }

  public RecordingException(String message, Throwable cause) {
    super(message, cause);
  }
}
