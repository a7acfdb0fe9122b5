package stackweave.agent.feature.memory;

import stackweave.agent.feature.Feature;
import stackweave.agent.feature.FeatureContext;
import stackweave.agent.feature.FeatureRefusedException;
import stackweave.agent.feature.FeatureSession;
import stackweave.jfr.control.SampledFeature;
import stackweave.linux.MemoryAccess;

/**
 * First touches of native memory: {@code stackweave.NativeMemory}. Immutable.
 *
 * @param perfMemoryBytes kernel memory that its perf events of threads may take
 * @param memoryAccess how the process reads its own memory
 */
public record MemoryFeature(long perfMemoryBytes, MemoryAccess memoryAccess) implements Feature {
  @Override
  public String failure() {
    return "native memory is not recorded";
  }

  @Override
  public FeatureSession open(FeatureContext context) throws FeatureRefusedException {
    return context.request().valueOf(SampledFeature.MEMORY) != SampledFeature.OFF
        ? MemorySampler.open(context, perfMemoryBytes, memoryAccess, failure())
        : null;
  }
}
