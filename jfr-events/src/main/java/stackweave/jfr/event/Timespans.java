package stackweave.jfr.event;

import java.util.OptionalLong;

/**
 * Parses and formats timespans of settings and the command line: a number, optionally a space, a
 * unit. The only parser of these. Stateless.
 */
public final class Timespans {
  private static final String[] UNITS = {"ns", "us", "ms", "s", "m", "h", "d"};
  private static final long[] NANOS = {
    1L, 1_000L, 1_000_000L, 1_000_000_000L, 60_000_000_000L, 3_600_000_000_000L, 86_400_000_000_000L
  };

  /** The value of a setting that leaves the choice to the agent. */
  public static final String DEFAULT = "default";

  private Timespans() {}

  /** Whether a setting leaves the choice to the agent; null means that it is missing. */
  public static boolean isDefault(String text) {
    return text == null || text.strip().equals(DEFAULT);
  }

  /**
   * Parses a timespan as in JFR's settings ({@code 10 ms}, {@code 500us}) to ns; empty if it is
   * none above zero.
   */
  public static OptionalLong parse(String text) {
    String trimmed = text.strip();
    int digits = 0;
    while (digits < trimmed.length() && Character.isDigit(trimmed.charAt(digits))) {
      digits++;
    }
    if (digits == 0 || digits > 18) {
      return OptionalLong.empty();
    }
    String unit = trimmed.substring(digits).strip();
    for (int i = 0; i < UNITS.length; i++) {
      if (UNITS[i].equals(unit)) {
        long value = Long.parseLong(trimmed.substring(0, digits));
        return value == 0 || value > Long.MAX_VALUE / NANOS[i]
            ? OptionalLong.empty()
            : OptionalLong.of(value * NANOS[i]);
      }
    }
    return OptionalLong.empty();
  }

  /** {@code nanos} with the largest unit that leaves it whole, such as {@code 10 ms}. */
  public static String format(long nanos) {
    int unit = 0;
    while (unit < 3 && nanos % NANOS[unit + 1] == 0) {
      unit++;
    }
    return nanos / NANOS[unit] + " " + UNITS[unit];
  }

  /** {@code nanos} as rounded text for users: 40 ms, 2.2 s, 30 s, 2 min 5 s, 3 h 20 min. */
  public static String spoken(long nanos) {
    if (nanos > 0 && nanos < 100_000_000L) {
      return (nanos + 500_000) / 1_000_000 + " ms";
    }
    long tenths = (nanos + 50_000_000) / 100_000_000;
    long seconds = (nanos + 500_000_000) / 1_000_000_000;
    if (tenths < 600) {
      return tenths / 10 + (tenths % 10 == 0 ? "" : "." + tenths % 10) + " s";
    }
    if (seconds < 3_600) {
      return seconds / 60 + " min" + (seconds % 60 == 0 ? "" : " " + seconds % 60 + " s");
    }
    long minutes = seconds / 60;
    return minutes / 60 + " h" + (minutes % 60 == 0 ? "" : " " + minutes % 60 + " min");
  }
}
