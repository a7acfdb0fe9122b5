package stackweave.jfr.export;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Shortens names of functions and libraries to a number of terminal columns. What distinguishes a
 * function is kept as long as possible: class and method, symbol and library. Stateless.
 */
public final class ShortNames {
  private static final String CUT = "...";

  /** A library's name is cut before its symbol, but not below this fraction of the columns. */
  private static final int LIBRARY_PART = 3;

  /** A class name is not cut below this. */
  private static final int MIN_CLASS = 8;

  private static final Pattern INNERMOST_ARGUMENTS = Pattern.compile("<[^<>]*>");

  /** Stands for arguments that were dropped, while those around them are; occurs in no symbol. */
  private static final String DROPPED = "\0";

  /** The first part of a package that is longer than a letter. */
  private static final Pattern PACKAGE =
      Pattern.compile("(?<![^.])([^.])[^.]+(?=[.][^.]*[.][^.]*)");

  /** Characters without a column of their own. */
  private static final Pattern MARK = Pattern.compile("[\\p{Mn}\\p{Me}]");

  private static final Pattern WIDE =
      Pattern.compile(
          "[\\p{IsHan}\\p{IsHangul}\\p{IsHiragana}\\p{IsKatakana}\\u3000-\\u303e"
              + "\\uff01-\\uff60\\x{1f300}-\\x{1faff}]");

  private ShortNames() {}

  /** {@code text} in at most {@code columns} columns, which are 20 or more. */
  public static String fit(String text, int columns) {
    if (columns(text) <= columns) {
      return text;
    }
    int module = moduleAt(text);
    if (module > 0) {
      return fitSymbol(text.substring(0, module - 1), text.substring(module), columns);
    }
    int method = text.lastIndexOf('.');
    return method > 0 && text.indexOf(' ') < 0
        ? fitJava(text, method, columns)
        : cut(text, columns);
  }

  /**
   * Drops parameters first, then template arguments, then the middle of the library's name and the
   * symbol's.
   */
  private static String fitSymbol(String symbol, String inBrackets, int columns) {
    int left = columns - columns(inBrackets) - 1;
    String name = symbol;
    if (columns(name) > left) {
      name = withoutParameters(name);
    }
    if (columns(name) > left) {
      name = withoutTemplateArguments(name);
    }
    String module = cut(inBrackets, Math.max(columns / LIBRARY_PART, columns - columns(name) - 1));
    return cut(name, columns - columns(module) - 1) + " " + module;
  }

  static String withoutParameters(String symbol) {
    int close = symbol.lastIndexOf(')');
    int depth = 0;
    for (int i = close; i > 0; i--) {
      char c = symbol.charAt(i);
      depth += c == ')' ? 1 : c == '(' ? -1 : 0;
      if (depth == 0) {
        boolean isName =
            i == close - 1
                || symbol.startsWith("(anonymous namespace)", i)
                || symbol.startsWith("operator", i - 8);
        return isName ? symbol : symbol.substring(0, i + 1) + CUT + symbol.substring(close);
      }
    }
    return symbol;
  }

  static String withoutTemplateArguments(String symbol) {
    if (symbol.contains("operator")) {
      return symbol; // its < and > may be its name
    }
    String name = symbol;
    String outer = INNERMOST_ARGUMENTS.matcher(name).replaceAll(DROPPED);
    while (!outer.equals(name)) {
      name = outer;
      outer = INNERMOST_ARGUMENTS.matcher(name).replaceAll(DROPPED);
    }
    return name.replace(DROPPED, "<" + CUT + ">");
  }

  /** Shortens packages to letters one by one, then drops them; then the class is cut. */
  private static String fitJava(String text, int methodDot, int columns) {
    String name = text;
    for (Matcher part = PACKAGE.matcher(name); columns(name) > columns && part.find(); ) {
      name = part.replaceFirst("$1");
      part.reset(name);
    }
    if (columns(name) <= columns) {
      return name;
    }
    String classAndMethod = text.substring(text.lastIndexOf('.', methodDot - 1) + 1);
    String method = text.substring(methodDot);
    int left = columns - columns(method);
    String className = classAndMethod.substring(0, classAndMethod.length() - method.length());
    return left >= MIN_CLASS ? cut(className, left) + method : cut(classAndMethod, columns);
  }

  /** Replaces the middle. */
  public static String cut(String text, int columns) {
    if (columns(text) <= columns) {
      return text;
    }
    int left = Math.max(0, columns - CUT.length());
    int head = 0;
    int used = 0;
    while (used + columns(text.codePointAt(head)) <= (left + 1) / 2) {
      used += columns(text.codePointAt(head));
      head = text.offsetByCodePoints(head, 1);
    }
    int tail = text.length();
    while (used + columns(text.codePointBefore(tail)) <= left) {
      used += columns(text.codePointBefore(tail));
      tail = text.offsetByCodePoints(tail, -1);
    }
    return text.substring(0, head) + CUT + text.substring(tail);
  }

  /** The number of terminal columns of a text. */
  public static int columns(String text) {
    int columns = 0;
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      columns += columns(text.codePointAt(i));
    }
    return columns;
  }

  private static int columns(int codePoint) {
    if (codePoint < 0x300) {
      return 1;
    }
    String text = Character.toString(codePoint);
    return MARK.matcher(text).matches() ? 0 : WIDE.matcher(text).matches() ? 2 : 1;
  }

  /** The start of the brackets with the module at the text's end; -1 if there are none. */
  private static int moduleAt(String text) {
    if (!text.endsWith("]")) {
      return -1;
    }
    int open = text.lastIndexOf(" [");
    return open >= 0 ? open + 1 : text.startsWith("[") ? 0 : -1;
  }
}
