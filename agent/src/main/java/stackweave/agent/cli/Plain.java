package stackweave.agent.cli;

/**
 * Text of others for a person's terminal: what a process, a recording or a file of another user
 * says may hold escape sequences, which a terminal would carry out.
 */
final class Plain {
  private static final int MOST_CHARACTERS = 1 << 16;

  private Plain() {}

  /** A process's report: as {@link #lines}, and not endless. */
  static String report(String text) {
    return lines(text.substring(0, Math.min(text.length(), MOST_CHARACTERS)));
  }

  /** Without control and format characters, but with its lines. */
  static String lines(String text) {
    StringBuilder plain = new StringBuilder();
    text.codePoints().map(c -> c == '\n' || isPlain(c) ? c : '?').forEach(plain::appendCodePoint);
    return plain.toString();
  }

  /** The same in one line. */
  static String line(String text) {
    return report(text.strip().replaceAll("\\s*\\R\\s*", " "));
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
