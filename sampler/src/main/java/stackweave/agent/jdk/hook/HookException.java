package stackweave.agent.jdk.hook;

/** Something could not be instrumented or restored; the message is the reason, in one line. */
public final class HookException extends Exception {
  private static final long serialVersionUID = 1L;

  /** With a reason in one line. */
  public HookException(String message, Throwable cause) {
    super(message, cause);
  }
}
