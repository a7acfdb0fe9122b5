package stackweave.fleet.store;

import java.util.Locale;

/** A command of the fleet failed; the message is one line for the user. */
public final class FleetException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * @param format one line for the user, as in {@link String#format}; taken as it is if there are
   *     no arguments
   */
  public FleetException(String format, Object... arguments) {
    super(arguments.length == 0 ? format : String.format(Locale.ROOT, format, arguments));
  }

  /** The first line of an exception's message that has any text; its class if there is none. */
  public static String firstLine(Throwable e) {
    return String.valueOf(e.getMessage())
        .lines()
        .filter(line -> !line.isBlank())
        .findFirst()
        .orElseGet(e::toString);
  }
}
