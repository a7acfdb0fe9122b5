package stackweave.agent.cli.record;

import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;
import stackweave.jfr.control.SamplingSettings;

/** The option that asks for events of blocked threads. */
public final class BlockedOption {
  @Option(
      names = "--blocked",
      paramLabel = "TIME",
      converter = Threshold.class,
      description =
          "An event for each time that a thread is blocked for so long or longer, with its stack: "
              + SamplingSettings.BLOCKED_THRESHOLDS
              + ". The command report lists the longest.")
  private String threshold;

  /** Adds what was asked for to a recording's settings. */
  public void addTo(Map<String, String> settings) {
    if (threshold != null) {
      SamplingWishes.addBlocked(settings, threshold);
    }
  }

  /** Accepts {@link SamplingSettings#BLOCKED_THRESHOLDS} and keeps the text as given. */
  static final class Threshold implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      if (SamplingSettings.blockedThreshold(text).isEmpty()) {
        throw new TypeConversionException(
            "'" + text + "' is not " + SamplingSettings.BLOCKED_THRESHOLDS);
      }
      return text;
    }
  }
}
