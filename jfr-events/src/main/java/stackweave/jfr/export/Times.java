package stackweave.jfr.export;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/**
 * Times as the numbers and texts that formats have. A damaged recording may have any. Stateless.
 */
public final class Times {
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private Times() {}

  /** Seconds for people: with hundredths below 100 s. */
  public static String seconds(long nanos) {
    return String.format(Locale.ROOT, nanos < 100_000_000_000L ? "%.2f s" : "%,.0f s", nanos / 1e9);
  }

  /** A time span in ns, as many as a number holds; 0 for a negative one. */
  public static long nanos(Duration length) {
    if (length.isNegative()) {
      return 0;
    }
    return length.compareTo(LONGEST) < 0 ? length.toNanos() : Long.MAX_VALUE;
  }

  /** A time in ns since 1970, within the same limits. */
  public static long nanos(Instant time) {
    return nanos(Duration.between(Instant.EPOCH, time));
  }
}
