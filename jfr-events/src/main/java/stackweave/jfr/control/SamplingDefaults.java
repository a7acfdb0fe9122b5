package stackweave.jfr.control;

import java.util.Map;

/**
 * The values for what a recording's settings leave open; {@link SamplingSettings} has the limits.
 * Immutable.
 *
 * @param intervalNanos CPU time between two samples of a thread, in ns
 * @param engine the engine to try first; {@code auto} leaves it open
 * @param depth most frames of a stack
 * @param event what is sampled
 * @param features what is recorded beside samples, with its time in ns
 */
public record SamplingDefaults(
    long intervalNanos,
    String engine,
    int depth,
    SampledEvent event,
    Map<SampledFeature, Long> features) {
  /** The defaults of an agent without options. */
  public static final SamplingDefaults STANDARD =
      new SamplingDefaults(
          SamplingSettings.DEFAULT_INTERVAL_NANOS,
          SamplingSettings.DEFAULT_ENGINE,
          SamplingSettings.DEFAULT_DEPTH,
          SampledEvent.CPU,
          Map.of());

  public SamplingDefaults {
    features = Map.copyOf(features);
  }
}
