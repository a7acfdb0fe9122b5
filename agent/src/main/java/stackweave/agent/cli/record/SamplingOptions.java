package stackweave.agent.cli.record;

import java.util.Iterator;
import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;
import stackweave.jfr.control.SamplingSettings;
import stackweave.jfr.event.NativeSample;

/** The options of sampling, which are checked before anything is done in the target. */
public final class SamplingOptions {
  @Option(
      names = "--interval",
      paramLabel = "TIME",
      converter = Interval.class,
      description =
          "CPU time between two samples of a thread: "
              + SamplingSettings.INTERVALS
              + ", the default.")
  private String interval;

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      converter = Engine.class,
      completionCandidates = Engines.class,
      description = "The engine to try first: ${COMPLETION-CANDIDATES}. Default: auto.")
  private String engine;

  /** The settings that ask for samples, with those that were given: event, '#', setting. */
  public Map<String, String> eventSettings() {
    Map<String, String> all = SamplingWishes.usual();
    if (interval != null) {
      all.put(NativeSample.NAME + "#interval", interval);
    }
    if (engine != null) {
      all.put(NativeSample.NAME + "#engine", engine);
    }
    return all;
  }

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
