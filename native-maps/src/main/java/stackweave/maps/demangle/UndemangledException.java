package stackweave.maps.demangle;

/**
 * Thrown for a name that is not mangled or not understood, which is then shown unchanged. One
 * instance without stack trace.
 */
final class UndemangledException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  static final UndemangledException INSTANCE = new UndemangledException();

  private UndemangledException() {
    super("not demangled", null, false, false);
  }
}
