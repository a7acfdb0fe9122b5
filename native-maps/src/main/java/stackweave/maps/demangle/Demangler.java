package stackweave.maps.demangle;

import stackweave.maps.demangle.DemanglerOutput.Form;

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

  private Demangler() {}

  /** The full name with parameters, return type and template arguments, as c++filt writes it. */
  public static String demangle(String name) {
    return demangle(name, Form.FULL, true);
  }

  /**
   * The name of a frame: scope and name, with template arguments unless they are long, without
   * parameters, return type and compiler's suffixes.
   */
  public static String shortName(String name) {
    String text = demangle(name, Form.SHORT, false);
    if (text.length() > READABLE && !text.equals(name)) {
      text = demangle(name, Form.SHORTER, false);
      if (text.length() > READABLE) {
        text = demangle(name, Form.SHORTEST, false);
      }
    }
    return text;
  }

  private static String demangle(String name, Form form, boolean verbose) {
    boolean cpp = name.startsWith("_Z");
    boolean rust = name.startsWith("_R");
    if (name.length() > MAX_MANGLED || !(cpp || rust)) {
      return name;
    }
    try {
      if (rust) {
        return RustDemangler.v0(name, form);
      }
      String legacy = RustDemangler.legacy(name);
      if (legacy != null) {
        return legacy;
      }
      DemanglerOutput out = new DemanglerOutput(form);
      ItaniumDemangler.parse(name, verbose).print(out);
      return out.toString();
    } catch (UndemangledException | StackOverflowError e) {
      return name;
    }
  }
}
