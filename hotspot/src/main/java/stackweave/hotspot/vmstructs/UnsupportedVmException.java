package stackweave.hotspot.vmstructs;

/**
 * A JVM whose structures are not described the way this reader knows them; its Java frames can't be
 * decoded. The message is one line for users.
 */
public final class UnsupportedVmException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * @param reason why, in one line for users
   */
  public UnsupportedVmException(String reason) {
    super("this JDK is not supported for Java frames: " + reason);
  }
}
