package stackweave.agent.cli.record;

import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;
import stackweave.jfr.control.SamplingSettings;

/** The option that asks for samples of waiting threads. */
public final class WallOption {
  @Option(
      names = "--wall",
      paramLabel = "TIME",
      converter = Interval.class,
      description =
          "Samples waiting threads, too: how often each is looked at while it waits, "
              + SamplingSettings.WALL_INTERVALS
              + ". The commands that read show them with --wall.")
  private String interval;

  /** Adds what was asked for to a recording's settings. */
  public void addTo(Map<String, String> settings) {
    if (interval != null) {
      SamplingWishes.addWall(settings, interval);
    }
  }

  /** Accepts {@link SamplingSettings#WALL_INTERVALS} and keeps the text as given. */
  static final class Interval implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      if (SamplingSettings.wallInterval(text).isEmpty()) {
        throw new TypeConversionException(
            "'" + text + "' is not " + SamplingSettings.WALL_INTERVALS);
      }
      return text;
    }
  }
}
