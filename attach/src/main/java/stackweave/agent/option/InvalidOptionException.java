package stackweave.agent.option;

/**
 * The agent's options (the text after {@code -javaagent:jar=}) are invalid; the message is one line
 * for the user.
 */
public final class InvalidOptionException extends Exception {

  private static final long serialVersionUID = 1;

  InvalidOptionException(String message) {
    super(message);
  }
}
