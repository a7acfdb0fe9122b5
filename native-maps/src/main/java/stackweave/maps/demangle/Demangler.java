package stackweave.maps.demangle;

/**
 * Converts mangled names of C++ (Itanium ABI, GCC and Clang) and Rust to names as in the source. A
 * name that is not mangled, or not understood, is returned unchanged. Time and memory are bounded
 * for any input. Used when symbols are named. Thread-safe.
 */
public final class Demangler {
  /** Longer names are returned unchanged. */
  private static final int MAX_MANGLED = 16 << 10;

  /** Length above which template arguments are left out of a frame's name, to keep it readable. */
  private static final int READABLE = 160;

  /** The marks of the parsers around template arguments. */
  static final char OPEN = 1;

  static final char CLOSE = 2;

  private Demangler() {}

  /**
   * The name of a frame: scope and name, with template arguments unless they are long, without
   * parameters, return type and compiler's suffixes.
   */
  public static String shortName(String name) {
    boolean cpp = name.startsWith("_Z");
    boolean rust = name.startsWith("_R");
    if (name.length() > MAX_MANGLED
        || !(cpp || rust)
        || name.indexOf(OPEN) >= 0
        || name.indexOf(CLOSE) >= 0) {
      return name;
    }
    try {
      String legacy = RustDemangler.legacy(name);
      if (legacy != null) {
        return legacy;
      }
      String marked = rust ? RustDemangler.v0(name) : ItaniumDemangler.parse(name);
      String text = shown(marked, Integer.MAX_VALUE, cpp);
      // Without arguments of arguments, then without all.
      for (int levels = 1; levels >= 0 && text.length() > READABLE; levels--) {
        text = shown(marked, levels, cpp);
      }
      return text;
    } catch (UndemangledException | StackOverflowError e) {
      return name;
    }
  }

  /** Template arguments with marks around them. */
  static String marked(String arguments) {
    return OPEN + arguments + CLOSE;
  }

  /**
   * Replaces the marks by brackets.
   *
   * @param levels so many levels of template arguments are shown, others as {@code ...}
   * @param apart whether two brackets have a space between them, as c++filt writes it
   */
  private static String shown(String marked, int levels, boolean apart) {
    StringBuilder text = new StringBuilder();
    int depth = 0;
    for (int i = 0; i < marked.length(); i++) {
      char c = marked.charAt(i);
      depth -= c == CLOSE ? 1 : 0;
      if (depth <= levels) {
        char bracket = c == OPEN ? '<' : c == CLOSE ? '>' : 0;
        boolean twice =
            bracket != 0 && !text.isEmpty() && text.charAt(text.length() - 1) == bracket;
        text.append(apart && twice ? " " : "").append(bracket == 0 ? c : bracket);
        text.append(c == OPEN && depth == levels ? "..." : "");
      }
      depth += c == OPEN ? 1 : 0;
    }
    return text.toString();
  }
}
