package stackweave.agent.feature.waiting;

import stackweave.agent.feature.Feature;
import stackweave.agent.feature.FeatureContext;
import stackweave.agent.feature.FeatureRefusedException;
import stackweave.agent.feature.FeatureSession;
import stackweave.agent.option.WallFilter;
import stackweave.jfr.control.SampledFeature;

/**
 * Samples of waiting threads, {@code stackweave.WallSample}, or events of threads that were blocked
 * for long, {@code stackweave.Blocked}. Immutable.
 *
 * @param kind which of them
 * @param threads names of the threads that are looked at, as {@link WallFilter#SYNTAX} says; empty:
 *     all but the JVM's own
 * @param drainPercent what the drain thread may use, in percent of a core
 */
public record WaitingFeature(SampledFeature kind, String threads, int drainPercent)
    implements Feature {
  @Override
  public String failure() {
    return kind == SampledFeature.WAITING
        ? "waiting threads are not sampled"
        : "blocked threads are not timed";
  }

  @Override
  public FeatureSession open(FeatureContext context) throws FeatureRefusedException {
    long asked = context.request().valueOf(kind);
    if (asked == SampledFeature.OFF) {
      return null;
    }
    WallParts parts = WallParts.open(context.decoder(), context.samples(), failure());
    WallFilter filter = WallFilter.of(threads);
    return kind == SampledFeature.WAITING
        ? new WallSampler(
            parts,
            context.sinceNanos(),
            asked,
            drainPercent,
            filter,
            context.decoder().counts().counters)
        : new BlockedSampler(parts, asked, drainPercent, filter, context);
  }
}
