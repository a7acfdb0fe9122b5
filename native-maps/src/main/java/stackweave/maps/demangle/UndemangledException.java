package stackweave.maps.demangle;

/** A name that is not mangled, or not in a way that is understood; it is then shown as it is. */
final class UndemangledException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  static final UndemangledException INSTANCE = new UndemangledException();

  private UndemangledException() {
    super("not demangled", null, false, false);
  }
}
