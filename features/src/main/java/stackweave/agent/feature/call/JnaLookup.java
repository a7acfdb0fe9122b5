package stackweave.agent.feature.call;

import stackweave.agent.jdk.hook.CallAtBegin;
import stackweave.agent.jdk.hook.HookException;

/**
 * Has the application's JNA look for functions by names without the wrappers' prefix. {@code
 * Native.register(type)} links each method of a class that is native with the function of that
 * name; of a method with a wrapper that is the method with the prefix. Used by {@link
 * CallTransformer}. Stateless.
 */
final class JnaLookup {
  /** Also where it was moved to another package. */
  private static final String LIBRARY = "com/sun/jna/NativeLibrary";

  /** The method where all ways to a function meet, JNA 3.2 to 5.19. */
  private static final CallAtBegin CHANGE =
      new CallAtBegin(
          "getSymbolAddress",
          "(Ljava/lang/String;)J",
          CallSwitch.COPY,
          "plainName",
          "(Ljava/lang/String;)Ljava/lang/String;",
          1);

  private JnaLookup() {}

  /** Whether a class, with slashes, is the one that looks up functions. */
  static boolean isLookup(String className) {
    return className.endsWith(LIBRARY);
  }

  /**
   * The class file with the change.
   *
   * @throws HookException if it has no such method
   */
  static byte[] write(byte[] classFile) throws HookException {
    return CHANGE.of(classFile);
  }
}
