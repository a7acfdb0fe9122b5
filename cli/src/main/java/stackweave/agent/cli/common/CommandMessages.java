package stackweave.agent.cli.common;

import java.util.Locale;

/** CommandMessages of commands to the user beside their results: lines on stderr. Stateless. */
public final class CommandMessages {
  private CommandMessages() {}

  /**
   * Prints a line, with the program's name.
   *
   * @param format as in {@link String#format}; taken as it is if there are no arguments
   */
  public static void say(String format, Object... arguments) {
    System.err.println("stackweave: " + Plain.line(text(format, arguments)));
  }

  static String text(String format, Object... arguments) {
    return arguments.length == 0 ? format : String.format(Locale.ROOT, format, arguments);
  }
}
