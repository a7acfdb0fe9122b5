package stackweave.agent.cli.read;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.export.Selection;
import stackweave.jfr.read.SampledRecording;

/** The options that select from the samples that are read by {@link TimeOptions}. */
public final class SelectionOptions {
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Most digits of a number of ms that can be added to any time. */
  private static final int MAX_DIGITS = 15;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      converter = MomentConverter.class,
      description =
          "Only samples from then on: 10s or 500ms after the first sample (a number is"
              + " milliseconds), --from=-10s before the last one, or 2026-01-31T10:15:30Z.")
  private Moment from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      converter = MomentConverter.class,
      description = "Only samples before then, in the same forms.")
  private Moment to;

  @Option(
      names = {"-I", "--include"},
      paramLabel = "REGEX",
      converter = PatternConverter.class,
      description =
          "Only stacks with a frame whose whole text matches, such as '.*zstd.*' or"
              + " 'com[.]example[.].*'.")
  private Pattern include;

  @Option(
      names = {"-X", "--exclude"},
      paramLabel = "REGEX",
      converter = PatternConverter.class,
      description = "No stacks with such a frame.")
  private Pattern exclude;

  /** The selection from a recording. */
  Selection in(SampledRecording recording) {
    return new Selection(
        from == null ? Instant.MIN : from.in(recording),
        to == null ? Instant.MAX : to.in(recording),
        include,
        exclude);
  }

  /**
   * A time in a recording.
   *
   * @param time null for one that depends on the recording
   * @param nanos after the first sample, or before the last one
   */
  private record Moment(Instant time, long nanos, boolean beforeLast) {
    Instant in(SampledRecording recording) {
      if (time != null) {
        return time;
      }
      return beforeLast ? recording.last().minusNanos(nanos) : recording.first().plusNanos(nanos);
    }
  }

  private static final class MomentConverter implements ITypeConverter<Moment> {
    @Override
    public Moment convert(String text) {
      boolean beforeLast = text.startsWith("-");
      String span = beforeLast ? text.substring(1) : text;
      if (span.matches("\\d{1," + MAX_DIGITS + "}")) {
        long millis = Long.parseLong(span);
        if (millis <= Long.MAX_VALUE / NANOS_PER_MILLI) {
          return new Moment(null, millis * NANOS_PER_MILLI, beforeLast);
        }
      }
      OptionalLong nanos = Timespans.parse(span);
      if (nanos.isPresent()) {
        return new Moment(null, nanos.getAsLong(), beforeLast);
      }
      try {
        return new Moment(OffsetDateTime.parse(text).toInstant(), 0, false);
      } catch (DateTimeException e) {
        throw new TypeConversionException(
            "'" + text + "' is no time: 10s, 500ms, -10s or 2026-01-31T10:15:30Z");
      }
    }
  }

  private static final class PatternConverter implements ITypeConverter<Pattern> {
    @Override
    public Pattern convert(String text) {
      try {
        return Pattern.compile(text);
      } catch (PatternSyntaxException e) {
        throw new TypeConversionException(
            "'" + text + "' is no regular expression: " + e.getDescription());
      }
    }
  }
}
