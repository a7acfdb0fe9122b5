package stackweave.agent.feature.waiting;

import stackweave.agent.feature.Feature;
import stackweave.agent.feature.FeatureContext;
import stackweave.agent.feature.FeatureRefusedException;
import stackweave.agent.feature.FeatureSession;
import stackweave.agent.option.WallFilter;
import stackweave.jfr.control.SampledFeature;

/**
 * Events of threads that were blocked for long: {@code stackweave.Blocked}. Immutable.
 *
 * @param threads names of the threads that are timed, as {@link WallFilter#SYNTAX} says; empty: all
 *     but the JVM's own
 * @param drainPercent what the drain thread may use, in percent of a core
 */
public record BlockedFeature(String threads, int drainPercent) implements Feature {
  @Override
  public String failure() {
    return "blocked threads are not timed";
  }

  @Override
  public FeatureSession open(FeatureContext context) throws FeatureRefusedException {
    long threshold = context.request().valueOf(SampledFeature.BLOCKED);
    return threshold == SampledFeature.OFF
        ? null
        : new BlockedSampler(
            WallParts.open(context.decoder(), context.samples(), failure()),
            threshold,
            drainPercent,
            WallFilter.of(threads),
            context);
  }
}
