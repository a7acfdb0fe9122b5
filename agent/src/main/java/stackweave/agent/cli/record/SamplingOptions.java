package stackweave.agent.cli.record;

import java.util.Iterator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;
import stackweave.jfr.control.SamplingSettings;

/** Converters of the sampling options, which check them before anything is done in the target. */
final class SamplingOptions {
  private SamplingOptions() {}

  /** Accepts {@link SamplingSettings#INTERVALS} and keeps the text as given. */
  static final class Interval implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      if (SamplingSettings.interval(text).isEmpty()) {
        throw new TypeConversionException("'" + text + "' is not " + SamplingSettings.INTERVALS);
      }
      return text;
    }
  }

  /** Accepts {@link SamplingSettings#ENGINES}. */
  static final class Engine implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      if (!SamplingSettings.isEngine(text)) {
        throw new TypeConversionException(
            "there is no engine '" + text + "'" + SamplingSettings.meantEngine(text));
      }
      return text;
    }
  }

  /** The names of the engines, for the help text. */
  static final class Engines implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return SamplingSettings.engineNames().iterator();
    }
  }
}
