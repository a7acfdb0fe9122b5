package stackweave.agent.feature.waiting;

import java.util.Set;
import stackweave.agent.feature.Feature;
import stackweave.agent.feature.FeatureContext;
import stackweave.agent.feature.FeatureRefusedException;
import stackweave.agent.feature.FeatureSession;
import stackweave.agent.option.WallFilter;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.perf.PerfBudget;
import stackweave.engine.perf.SwitchEvents;
import stackweave.jfr.control.SampledFeature;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.CallPolicy;

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
  public String whyNotOf(SampledProcess process, SamplingRequest request) {
    if (request.valueOf(kind) == SampledFeature.OFF) {
      return "";
    }
    if (!WallParts.areClocksKnown(process)) {
      return failure() + ": " + WallParts.WITHOUT_CLOCKS;
    }
    if (kind == SampledFeature.WAITING) {
      return "";
    }
    // Events of each thread, for which this process may have too few descriptors.
    try (PerfBudget budget = new PerfBudget(PerfBudget.DEFAULT_BYTES, process)) {
      SwitchEvents.start(process, budget, CallPolicy.ofThread(Set.of()), false).close();
      return "";
    } catch (EngineRefusedException e) {
      return failure() + ": " + e.refusal().cause();
    }
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
