package stackweave.agent.cli.common;

/** A command has arguments that don't fit together; the user is referred to its help. */
public final class UsageException extends FailedException {

  private static final long serialVersionUID = 1;

  /**
   * @param format as of {@link FailedException}
   */
  public UsageException(String format, Object... arguments) {
    super(format, arguments);
  }
}
