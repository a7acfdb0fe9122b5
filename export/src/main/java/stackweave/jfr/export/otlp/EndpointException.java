package stackweave.jfr.export.otlp;

/** A profile could not be sent to a collector; the message is one line for users. */
public final class EndpointException extends Exception {
  private static final long serialVersionUID = 1;

  /** A failure with {@code message}, one line for users. */
  public EndpointException(String message) {
    super(message);
  }
}
