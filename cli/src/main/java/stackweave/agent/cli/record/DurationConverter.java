package stackweave.agent.cli.record;

import java.util.OptionalLong;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;
import stackweave.jfr.event.Timespans;

/** Converts a time with its unit to milliseconds, 1 to {@link #MAX_MILLIS}. Stateless. */
public final class DurationConverter implements ITypeConverter<Long> {
  /** A year. */
  public static final long MAX_MILLIS = 365L * 24 * 3_600 * 1_000;

  private static final long NANOS_PER_MILLI = 1_000_000L;

  @Override
  public Long convert(String text) {
    OptionalLong nanos = Timespans.parse(text);
    if (nanos.isEmpty()
        || nanos.getAsLong() < NANOS_PER_MILLI
        || nanos.getAsLong() > MAX_MILLIS * NANOS_PER_MILLI) {
      throw new TypeConversionException(
          "'" + text + "' is no time such as 30s, 5m or 1h (at least 1ms, at most 365d)");
    }
    return nanos.getAsLong() / NANOS_PER_MILLI;
  }
}
