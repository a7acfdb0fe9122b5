package stackweave.jfr.export;

import java.util.regex.Pattern;
import stackweave.jfr.read.StackEnd;

/**
 * Makes names writable, since class files may contain half surrogate pairs, which can't be encoded;
 * also has the names that several exports share. Stateless.
 */
public final class Names {
  /** The name of the frame of a stack without frames. */
  static final String NO_FRAMES = "[no frames]";

  /** Parts of class names that differ from run to run: numbers and addresses of hidden classes. */
  private static final Pattern OF_ONE_RUN =
      Pattern.compile(
          "(?<=\\$\\$Lambda)(\\$\\d+)?(/0x[0-9a-f]+)?|/0x[0-9a-f]{6,}"
              + "|(?<=\\$Proxy|GeneratedMethodAccessor|GeneratedConstructorAccessor)\\d+");

  /** Halves of surrogate pairs: whole ones are one code point, of another category. */
  private static final Pattern HALF_PAIR = Pattern.compile("\\p{Cs}");

  /** Control characters, invisible ones, and line ends. */
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

  private Names() {}

  /** {@code name} without the parts that differ from run to run, for comparisons. */
  public static String ofAllRuns(String name) {
    return mayBeOfOneRun(name) ? OF_ONE_RUN.matcher(name).replaceAll("") : name;
  }

  /** The pattern looks back at each character; most names have nothing for it. */
  private static boolean mayBeOfOneRun(String name) {
    return name.contains("/0x")
        || name.contains("$$Lambda")
        || name.contains("$Proxy")
        || name.contains("Accessor");
  }

  /** {@code name} with halves of surrogate pairs replaced. */
  public static String encodable(String name) {
    return HALF_PAIR.matcher(name).replaceAll("\ufffd");
  }

  /** {@code name} without line ends and characters that a terminal would execute, and encodable. */
  public static String printable(String name) {
    return encodable(UNPRINTABLE.matcher(name).replaceAll(" "));
  }

  /** {@code name} as text of HTML, {@link #printable}. */
  public static String html(String name) {
    return printable(name)
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /** The text before a stack's frames, or instead of them if there are none; "" for nothing. */
  static String marker(StackEnd end, int frames) {
    return end.marker(frames).orElse(frames == 0 ? NO_FRAMES : "");
  }
}
