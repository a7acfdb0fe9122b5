package stackweave.jfr.export;

import java.util.regex.Pattern;

/**
 * Makes names writable: class files may contain half surrogate pairs, which can't be encoded; and
 * the names that several exports have in common. Stateless.
 */
public final class Names {
  /** In place of the only frame of a stack that has none. */
  static final String NO_FRAMES = "[no frames]";

  /** Parts of class names that differ from run to run: numbers and addresses of hidden classes. */
  private static final Pattern OF_ONE_RUN =
      Pattern.compile(
          "(?<=\\$\\$Lambda)(\\$\\d+)?(/0x[0-9a-f]+)?|/0x[0-9a-f]{6,}"
              + "|(?<=\\$Proxy|GeneratedMethodAccessor|GeneratedConstructorAccessor)\\d+");

  private static final char REPLACEMENT = '\ufffd';

  private Names() {}

  /** {@code name} as it is in all runs of a program, to be compared with that of another run. */
  public static String ofAllRuns(String name) {
    return name.indexOf('$') < 0 && name.indexOf('/') < 0
        ? name
        : OF_ONE_RUN.matcher(name).replaceAll("");
  }

  /** {@code name} with halves of surrogate pairs replaced. */
  static String encodable(String name) {
    StringBuilder changed = null;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (!Character.isSurrogate(c)) {
        continue;
      }
      if (Character.isHighSurrogate(c)
          && i + 1 < name.length()
          && Character.isLowSurrogate(name.charAt(i + 1))) {
        i++;
        continue;
      }
      if (changed == null) {
        changed = new StringBuilder(name);
      }
      changed.setCharAt(i, REPLACEMENT);
    }
    return changed == null ? name : changed.toString();
  }

  /** {@code name} without line ends and characters that a terminal would execute, and encodable. */
  public static String printable(String name) {
    StringBuilder changed = null;
    for (int i = 0; i < name.length(); i += Character.charCount(name.codePointAt(i))) {
      int codePoint = name.codePointAt(i);
      if (isUnprintable(Character.getType(codePoint))) {
        changed = changed == null ? new StringBuilder(name) : changed;
        for (int j = i; j < i + Character.charCount(codePoint); j++) {
          changed.setCharAt(j, ' ');
        }
      }
    }
    return encodable(changed == null ? name : changed.toString());
  }

  private static boolean isUnprintable(int type) {
    return type == Character.CONTROL
        || type == Character.FORMAT
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR;
  }
}
