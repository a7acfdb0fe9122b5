package stackweave.agent.feature.memory;

import stackweave.agent.feature.Feature;
import stackweave.agent.feature.FeatureContext;
import stackweave.agent.feature.FeatureRefusedException;
import stackweave.agent.feature.FeatureSession;
import stackweave.jfr.control.SampledFeature;

/** Blocks of malloc: {@code stackweave.NativeAllocation}. Immutable. */
public final class AllocationFeature implements Feature {
  @Override
  public String failure() {
    return AllocationSampler.NOT;
  }

  @Override
  public FeatureSession open(FeatureContext context) throws FeatureRefusedException {
    return context.request().valueOf(SampledFeature.ALLOCATIONS) != SampledFeature.OFF
        ? AllocationSampler.open(context)
        : null;
  }
}
