package stackweave.agent.linux;

/**
 * Whether native functions can be called in this process: JNA's library must be mapped from a file.
 * Thread-safe.
 */
public final class NativeAccess {
  private static final String WHY_NOT = whyNotNow();

  private NativeAccess() {}

  /**
   * Why JNA can't be used, for users; null if it can. The first call initialises JNA; the answer
   * holds for the life of the JVM.
   */
  public static String whyNot() {
    return WHY_NOT;
  }

  private static String whyNotNow() {
    try {
      Libc.errno();
      return null;
    } catch (LinkageError e) {
      Throwable first = e;
      while (first.getCause() != null) {
        first = first.getCause();
      }
      return String.valueOf(first.getMessage());
    }
  }
}
