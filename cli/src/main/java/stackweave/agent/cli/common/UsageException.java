package stackweave.agent.cli.common;

/** A command was called with arguments that don't go together; its help is named to the user. */
public final class UsageException extends FailedException {

  private static final long serialVersionUID = 1;

  /**
   * @param format as of {@link FailedException}
   */
  public UsageException(String format, Object... arguments) {
    super(format, arguments);
  }
}
