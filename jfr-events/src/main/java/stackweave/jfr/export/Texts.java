package stackweave.jfr.export;

import java.util.Locale;

/** Numbers in sentences and tables, the same in every locale. Stateless. */
public final class Texts {
  private Texts() {}

  /** The text of a format, as {@link String#format} has it. */
  public static String of(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  /** A number with commas between its thousands. */
  public static String count(long number) {
    return of("%,d", number);
  }
}
