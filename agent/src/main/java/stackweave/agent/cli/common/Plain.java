package stackweave.agent.cli.common;

import java.util.stream.Collectors;

/**
 * Text of others for a person's terminal: what a process, a recording or a file of another user
 * says may hold escape sequences, which a terminal would carry out.
 */
public final class Plain {
  private static final int MAX_CHARACTERS = 1 << 16;

  private Plain() {}

  /** A process's report: as {@link #lines}, and not endless. */
  public static String report(String text) {
    return lines(text.substring(0, Math.min(text.length(), MAX_CHARACTERS)));
  }

  /** Without control and format characters, but with its lines. */
  public static String lines(String text) {
    StringBuilder plain = new StringBuilder();
    text.codePoints().map(c -> c == '\n' || isPlain(c) ? c : '?').forEach(plain::appendCodePoint);
    return plain.toString();
  }

  /** A text of several lines in one; as {@link #report}, and in time that grows with its length. */
  public static String line(String text) {
    // Not by a regular expression: one that skips blanks takes the square of their number.
    return lines(
        text.substring(0, Math.min(text.length(), MAX_CHARACTERS))
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
