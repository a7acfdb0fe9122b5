package stackweave.maps.demangle;

/**
 * A mangled name that is being parsed, with the place that the parser has reached: what the
 * demanglers of C++ and Rust have in common. Not thread-safe.
 */
abstract class MangledText {
  private static final int MAX_DEPTH = 200;

  /** Back-references can make a name grow exponentially; real names have fewer productions. */
  private static final int MAX_STEPS = 200_000;

  final String in;
  int at;
  private int depth;
  private int steps;

  MangledText(String in) {
    this.in = in;
  }

  static UndemangledException fail() {
    return UndemangledException.INSTANCE;
  }

  /** Call it at the beginning of a production; {@link #leave} at its end. */
  final void enter() {
    if (++depth > MAX_DEPTH || ++steps > MAX_STEPS) {
      throw fail();
    }
  }

  final void leave() {
    depth--;
  }

  final char peek() {
    return peek(0);
  }

  final char peek(int ahead) {
    return at + ahead < in.length() ? in.charAt(at + ahead) : 0;
  }

  final char next() {
    if (at >= in.length()) {
      throw fail();
    }
    return in.charAt(at++);
  }

  final boolean take(char c) {
    if (peek() == c) {
      at++;
      return true;
    }
    return false;
  }

  final boolean take(String s) {
    if (in.startsWith(s, at)) {
      at += s.length();
      return true;
    }
    return false;
  }

  final void expect(String s) {
    if (!take(s)) {
      throw fail();
    }
  }

  /** The next so many characters. */
  final String text(int length) {
    if (length > in.length() - at) {
      throw fail();
    }
    at += length;
    return in.substring(at - length, at);
  }

  final String digits() {
    int from = at;
    while (isDigit(peek())) {
      at++;
    }
    return in.substring(from, at);
  }

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  static boolean isLower(char c) {
    return c >= 'a' && c <= 'z';
  }
}
