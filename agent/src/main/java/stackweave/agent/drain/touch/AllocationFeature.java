package stackweave.agent.drain.touch;

import stackweave.agent.drain.feature.Feature;
import stackweave.agent.drain.feature.FeatureContext;
import stackweave.agent.drain.feature.FeatureRefusedException;
import stackweave.agent.drain.feature.FeatureSession;

/** Blocks of malloc: {@code stackweave.NativeAllocation}. Immutable. */
public final class AllocationFeature implements Feature {
  @Override
  public String failure() {
    return AllocationSampler.NOT;
  }

  @Override
  public FeatureSession open(FeatureContext context) throws FeatureRefusedException {
    return context.request().allocations() ? AllocationSampler.open(context) : null;
  }
}
