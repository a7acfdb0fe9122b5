package stackweave.agent.linux;

/**
 * Whether this process lets us call native functions at all: JNA has a library that must be mapped
 * from a file. Thread-safe.
 */
public final class NativeAccess {
  private static final String WHY_NOT = whyNotNow();

  private NativeAccess() {}

  /**
   * Why JNA can't be used, for people; null if it can. The first call initialises JNA. The answer
   * is for the life of the JVM, as a class that could not be initialised is.
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
