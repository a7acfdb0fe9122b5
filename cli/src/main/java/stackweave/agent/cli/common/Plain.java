package stackweave.agent.cli.common;

import java.util.stream.Collectors;
import stackweave.unwind.text.ShortText;

/**
 * Makes text from other processes, recordings and files safe for a terminal, which would execute
 * escape sequences in it. Stateless.
 */
public final class Plain {
  private static final int MAX_CHARACTERS = 1 << 16;

  private Plain() {}

  /** As {@link #lines}, and cut to 64 Ki characters. */
  public static String report(String text) {
    return lines(ShortText.of(text, MAX_CHARACTERS));
  }

  /** Replaces control and format characters by {@code ?}; keeps line ends. */
  public static String lines(String text) {
    StringBuilder plain = new StringBuilder();
    text.codePoints().map(c -> c == '\n' || isPlain(c) ? c : '?').forEach(plain::appendCodePoint);
    return plain.toString();
  }

  /** Joins the lines to one; cut as by {@link #report}. Takes time linear in the length. */
  public static String line(String text) {
    // Not by a regular expression: one that skips blanks takes quadratic time.
    return lines(
        ShortText.of(text, MAX_CHARACTERS)
            .lines()
            .map(String::strip)
            .filter(line -> !line.isEmpty())
            .collect(Collectors.joining(" ")));
  }

  private static boolean isPlain(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
