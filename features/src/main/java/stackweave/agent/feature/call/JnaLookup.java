package stackweave.agent.feature.call;

import stackweave.agent.jdk.hook.CallAtBegin;
import stackweave.agent.jdk.hook.HookException;

/**
 * Lets the application's JNA look up functions by names without the wrappers' prefix. {@code
 * Native.register(type)} links native methods with functions of their names; a method with a
 * wrapper has a native method with the prefix. Used by {@link CallTransformer}. Stateless.
 */
final class JnaLookup {
  /** A suffix, which also matches a JNA that was moved to another package. */
  private static final String LIBRARY = "com/sun/jna/NativeLibrary";

  /** The method that every lookup calls, JNA 3.2 to 5.19. */
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
