package stackweave.agent.cli.record;

import java.util.Iterator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;
import stackweave.jfr.control.SamplingSettings;

/** Checks what is asked of sampling before anything is done in the target. */
final class SamplingOptions {
  private SamplingOptions() {}

  /** One of {@link SamplingSettings#INTERVALS}, as it was given. */
  static final class Interval implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      if (SamplingSettings.interval(text).isEmpty()) {
        throw new TypeConversionException("'" + text + "' is not " + SamplingSettings.INTERVALS);
      }
      return text;
    }
  }

  /** One of {@link SamplingSettings#ENGINES}. */
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

  /** The engines, for the help. */
  static final class Engines implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return SamplingSettings.engineNames().iterator();
    }
  }
}
