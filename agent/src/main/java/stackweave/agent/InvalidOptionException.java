package stackweave.agent;

/** The text after {@code -javaagent:jar=} can't be followed; the message is one line. */
public final class InvalidOptionException extends Exception {

  private static final long serialVersionUID = 1;

  InvalidOptionException(String message) {
    super(message);
  }
}
