package stackweave.maps.demangle;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Demangles Rust names: the legacy scheme, which looks like C++ ({@code _ZN…17h<hash>E}), and v0
 * ({@code _R…}). Hashes and disambiguators are not shown. Used by {@link Demangler}; one instance
 * per name. Source: RFC 2603 "Rust Symbol Name Mangling v0"; for the legacy scheme rustc's
 * rustc_symbol_mangling::legacy.
 */
final class RustDemangler extends MangledText {
  private static final int HASH_DIGITS = 16;

  private static final Map<String, String> ESCAPES =
      Map.of("SP", "@", "BP", "*", "RF", "&", "LT", "<", "GT", ">", "LP", "(", "RP", ")", "C", ",");

  private static final Map<String, String> BASIC =
      ItaniumTables.table(
          "a i8; b bool; c char; d f64; e str; f f32; h u8; i isize; j usize; l i32; "
              + "m u32; n i128; o u128; p _; s i16; t u16; u (); v ...; x i64; y u64; z !");

  /** Back-references can make a name grow exponentially; real names are shorter. */
  private static final int MAX_LENGTH = 32 << 10;

  private final StringBuilder out = new StringBuilder();
  private int boundLifetimes;

  /** Above 0 while nothing is to be shown. */
  private int silent;

  private RustDemangler(String in) {
    super(in);
  }

  // ---- legacy ----------------------------------------------------------------------------------

  /** The name if it is a legacy one, else null, as it may be C++. */
  static String legacy(String name) {
    int end = name.indexOf("17h");
    if (!name.startsWith("_ZN") || end < 0) {
      return null;
    }
    List<String> path = new ArrayList<>();
    int at = 3;
    while (at < name.length() && name.charAt(at) != 'E') {
      int length = 0;
      int from = at;
      while (at < name.length() && Character.digit(name.charAt(at), 10) >= 0 && at - from < 6) {
        length = length * 10 + Character.digit(name.charAt(at++), 10);
      }
      if (length == 0 || length > name.length() - at) {
        return null;
      }
      path.add(name.substring(at, at + length));
      at += length;
    }
    boolean ends = at == name.length() - 1 || (at < name.length() && name.startsWith(".", at + 1));
    if (!ends || path.size() < 2 || !isHash(path.get(path.size() - 1))) {
      return null;
    }
    StringBuilder text = new StringBuilder();
    for (String element : path.subList(0, path.size() - 1)) {
      text.append(text.isEmpty() ? "" : "::").append(unescape(element));
    }
    return text.toString();
  }

  private static boolean isHash(String element) {
    return element.length() == HASH_DIGITS + 1
        && element.charAt(0) == 'h'
        && element.substring(1).chars().allMatch(c -> Character.digit(c, 16) >= 0)
        && element.substring(1).chars().distinct().count() >= 5;
  }

  private static String unescape(String element) {
    StringBuilder text = new StringBuilder();
    int at = element.startsWith("_$") ? 1 : 0;
    while (at < element.length()) {
      char c = element.charAt(at);
      if (c == '.') {
        boolean path = element.startsWith("..", at);
        text.append(path ? "::" : ".");
        at += path ? 2 : 1;
        continue;
      }
      int end = c == '$' ? element.indexOf('$', at + 1) : -1;
      String plain = end < 0 ? null : unescaped(element.substring(at + 1, end));
      if (plain == null) {
        text.append(c);
        at++;
      } else {
        text.append(plain);
        at = end + 1;
      }
    }
    return text.toString();
  }

  private static String unescaped(String code) {
    if (code.length() > 1 && code.length() < 8 && code.charAt(0) == 'u') {
      try {
        int c = Integer.parseInt(code, 1, code.length(), 16);
        return Character.isValidCodePoint(c) && !Character.isISOControl(c)
            ? Character.toString(c)
            : null;
      } catch (NumberFormatException e) {
        return null;
      }
    }
    return ESCAPES.get(code);
  }

  // ---- v0 --------------------------------------------------------------------------------------

  /** The name that begins with {@code _R}, with the marks of {@link Demangler}. */
  static String v0(String name) {
    int suffix = name.indexOf('.');
    String mangled = suffix < 0 ? name.substring(2) : name.substring(2, suffix);
    RustDemangler rust = new RustDemangler(mangled);
    if (mangled.isEmpty() || !Character.isUpperCase(mangled.charAt(0))) {
      throw fail();
    }
    rust.path(true);
    if (rust.at < mangled.length()) {
      rust.silent++;
      rust.path(false); // the crate that instantiated it
    }
    if (rust.at != mangled.length()) {
      throw fail();
    }
    return rust.out.toString();
  }

  private void print(String text) {
    if (silent > 0) {
      return;
    }
    out.append(text);
    if (out.length() > MAX_LENGTH) {
      throw fail();
    }
  }

  /** 0 for an underscore, else one more than the number of base 62 before it, modulo 2^64. */
  private long base62() {
    if (take('_')) {
      return 0;
    }
    long value = 0;
    for (char c = next(); c != '_'; c = next()) {
      int digit =
          c >= '0' && c <= '9'
              ? c - '0'
              : c >= 'a' && c <= 'z' ? c - 'a' + 10 : c >= 'A' && c <= 'Z' ? c - 'A' + 36 : -1;
      if (digit < 0) {
        throw fail();
      }
      value = value * 62 + digit;
    }
    return value + 1;
  }

  private long disambiguator() {
    return take('s') ? base62() + 1 : 0;
  }

  private String identifier() {
    boolean punycode = take('u');
    int length = 0;
    int from = at;
    if (!take('0')) {
      while (Character.digit(peek(), 10) >= 0 && at - from < 6) {
        length = length * 10 + Character.digit(next(), 10);
      }
    }
    if (at == from) {
      throw fail();
    }
    take('_');
    String name = text(length);
    return punycode ? "punycode{" + name + "}" : name;
  }

  /** Parses at an earlier position by {@code reader}, then continues here. */
  private void backReference(Runnable reader) {
    int reference = at - 1;
    long target = base62();
    if (target < 0 || target >= reference) {
      throw fail();
    }
    if (silent > 0) {
      return;
    }
    int back = at;
    at = (int) target;
    reader.run();
    at = back;
  }

  /**
   * @param inValue whether generic arguments need {@code ::} before them
   */
  private void path(boolean inValue) {
    enter();
    switch (next()) {
      case 'C' -> {
        disambiguator();
        print(identifier());
      }
      case 'M' -> {
        implPath();
        print("<");
        type();
        print(">");
      }
      case 'X' -> {
        implPath();
        traitPath();
      }
      case 'Y' -> traitPath();
      case 'N' -> {
        char namespace = next();
        path(inValue);
        long number = disambiguator();
        String name = identifier();
        if (Character.isUpperCase(namespace)) {
          String kind = namespace == 'C' ? "closure" : namespace == 'S' ? "shim" : "" + namespace;
          print("::{" + kind + (name.isEmpty() ? "" : ":" + name) + "#" + number + "}");
        } else if (!name.isEmpty()) {
          print("::" + name);
        }
      }
      case 'I' -> {
        path(inValue);
        print((inValue ? "::" : "") + Demangler.OPEN);
        genericArguments();
        print("" + Demangler.CLOSE);
      }
      case 'B' -> backReference(() -> path(inValue));
      default -> throw fail();
    }
    leave();
  }

  private void implPath() {
    disambiguator();
    silent++;
    path(false);
    silent--;
  }

  private void traitPath() {
    print("<");
    type();
    print(" as ");
    path(false);
    print(">");
  }

  private void genericArguments() {
    for (int i = 0; !take('E'); i++) {
      print(i > 0 ? ", " : "");
      if (take('L')) {
        lifetime(base62());
      } else if (take('K')) {
        constant();
      } else {
        type();
      }
    }
  }

  private void lifetime(long index) {
    if (index == 0) {
      print("'_");
    } else {
      long number = boundLifetimes - index;
      if (number < 0 || number >= boundLifetimes) {
        throw fail();
      }
      print("'" + (number < 26 ? "" + (char) ('a' + number) : "_" + number));
    }
  }

  private void type() {
    enter();
    char c = next();
    String basic = BASIC.get(String.valueOf(c));
    if (basic != null) {
      print(basic);
      leave();
      return;
    }
    switch (c) {
      case 'R', 'Q' -> {
        print("&");
        if (take('L')) {
          long index = base62();
          if (index != 0) {
            lifetime(index);
            print(" ");
          }
        }
        print(c == 'Q' ? "mut " : "");
        type();
      }
      case 'P', 'O' -> {
        print(c == 'P' ? "*const " : "*mut ");
        type();
      }
      case 'A', 'S' -> {
        print("[");
        type();
        if (c == 'A') {
          print("; ");
          constant();
        }
        print("]");
      }
      case 'T' -> {
        print("(");
        int count = 0;
        for (; !take('E'); count++) {
          print(count > 0 ? ", " : "");
          type();
        }
        print(count == 1 ? ",)" : ")");
      }
      case 'F' -> function();
      case 'D' -> {
        print("dyn ");
        binder(this::bounds);
        if (next() != 'L') {
          throw fail();
        }
        long index = base62();
        if (index != 0) {
          print(" + ");
          lifetime(index);
        }
      }
      case 'B' -> backReference(this::type);
      default -> {
        at--;
        path(false);
      }
    }
    leave();
  }

  private void binder(Runnable content) {
    int outer = boundLifetimes;
    if (take('G')) {
      long count = base62() + 1;
      if (count < 0 || count > 1000) {
        throw fail();
      }
      print("for<");
      for (int i = 0; i < count; i++) {
        boundLifetimes++;
        print(i > 0 ? ", " : "");
        lifetime(1);
      }
      print("> ");
    }
    content.run();
    boundLifetimes = outer;
  }

  private void function() {
    binder(
        () -> {
          if (take('U')) {
            print("unsafe ");
          }
          if (take('K')) {
            print("extern \"" + (take('C') ? "C" : identifier().replace('_', '-')) + "\" ");
          }
          print("fn(");
          for (int i = 0; !take('E'); i++) {
            print(i > 0 ? ", " : "");
            type();
          }
          print(")");
          if (!take('u')) {
            print(" -> ");
            type();
          }
        });
  }

  private void bounds() {
    for (int i = 0; !take('E'); i++) {
      print(i > 0 ? " + " : "");
      boundTrait();
    }
  }

  /** A trait whose associated types are written inside its generic arguments. */
  private void boundTrait() {
    boolean open = openGenerics();
    while (take('p')) {
      print(open ? ", " : "<");
      open = true;
      print(identifier() + " = ");
      type();
    }
    print(open ? ">" : "");
  }

  private boolean openGenerics() {
    if (take('B')) {
      boolean[] open = {false};
      backReference(() -> open[0] = openGenerics());
      return open[0];
    }
    if (take('I')) {
      path(false);
      print("<");
      genericArguments();
      return true;
    }
    path(false);
    return false;
  }

  private void constant() {
    enter();
    char type = next();
    if (type == 'B') {
      backReference(this::constant);
    } else if (type == 'p') {
      print("_");
    } else {
      boolean negative = take('n');
      int from = at;
      while (peek() != '_') {
        next();
      }
      String digits = in.substring(from, at++);
      print(constant(type, (negative ? "-" : ""), digits));
    }
    leave();
  }

  private static String constant(char type, String sign, String digits) {
    if (digits.length() > 15 || !digits.chars().allMatch(c -> Character.digit(c, 16) >= 0)) {
      return sign + "0x" + digits;
    }
    long value = digits.isEmpty() ? 0 : Long.parseLong(digits, 16);
    return switch (type) {
      case 'b' -> value == 0 ? "false" : "true";
      case 'c' ->
          Character.isValidCodePoint((int) value)
              ? "'" + Character.toString((int) value) + "'"
              : "'?'";
      case 'a', 's', 'l', 'x', 'n', 'i', 'h', 't', 'm', 'y', 'o', 'j' -> sign + value;
      default -> throw fail();
    };
  }
}
