package stackweave.agent.jdk.hook;

/** Something could not be instrumented, or not restored; the message says why, in one line. */
public final class HookException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What could not be, in one line. */
  public HookException(String message, Throwable cause) {
    super(message, cause);
  }
}
