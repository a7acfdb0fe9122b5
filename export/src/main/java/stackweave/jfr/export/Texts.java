package stackweave.jfr.export;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/**
 * Formats numbers and times for sentences, tables and file formats, the same in every locale.
 * Accepts any time, since a recording may be damaged. Stateless.
 */
public final class Texts {
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private Texts() {}

  /** The text of a format, as {@link String#format} has it. */
  public static String of(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  /** A number with commas between its thousands. */
  public static String count(long number) {
    return of("%,d", number);
  }

  /** Seconds for people: with hundredths below 100 s. */
  public static String seconds(long nanos) {
    return of(nanos < 100_000_000_000L ? "%.2f s" : "%,.0f s", nanos / 1e9);
  }

  /** A time span in ns, cut to what a long holds; 0 for a negative one. */
  public static long nanos(Duration length) {
    if (length.isNegative()) {
      return 0;
    }
    return length.compareTo(LONGEST) < 0 ? length.toNanos() : Long.MAX_VALUE;
  }

  /** A time in ns since 1970, cut to what a long holds. */
  public static long nanos(Instant time) {
    return nanos(Duration.between(Instant.EPOCH, time));
  }
}
