package stackweave.agent.feature.waiting;

import stackweave.agent.feature.Feature;
import stackweave.agent.feature.FeatureContext;
import stackweave.agent.feature.FeatureRefusedException;
import stackweave.agent.feature.FeatureSession;
import stackweave.agent.option.WallFilter;
import stackweave.jfr.control.SampledFeature;

/**
 * Samples of waiting threads: {@code stackweave.WallSample}. Immutable.
 *
 * @param threads names of the threads that are looked at, as {@link WallFilter#SYNTAX} says; empty:
 *     all but the JVM's own
 * @param drainPercent what the drain thread may use, in percent of a core
 */
public record WaitingFeature(String threads, int drainPercent) implements Feature {
  @Override
  public String failure() {
    return "waiting threads are not sampled";
  }

  @Override
  public FeatureSession open(FeatureContext context) throws FeatureRefusedException {
    long interval = context.request().valueOf(SampledFeature.WAITING);
    return interval == SampledFeature.OFF
        ? null
        : new WallSampler(
            WallParts.open(context.decoder(), context.samples(), failure()),
            context.sinceNanos(),
            interval,
            drainPercent,
            WallFilter.of(threads),
            context.decoder().counts().counters);
  }
}
