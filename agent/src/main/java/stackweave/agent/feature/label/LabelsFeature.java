package stackweave.agent.feature.label;

import java.lang.instrument.Instrumentation;
import stackweave.agent.decode.Decoder;
import stackweave.agent.decode.context.SampledContexts;
import stackweave.agent.feature.Feature;
import stackweave.agent.feature.FeatureContext;
import stackweave.agent.feature.FeatureRefusedException;
import stackweave.agent.feature.FeatureSession;

/** What threads work for, by the application's labels: {@code stackweave.Context}. Immutable. */
public record LabelsFeature(Instrumentation instrumentation) implements Feature {
  @Override
  public String failure() {
    return "no labels";
  }

  @Override
  public FeatureSession open(FeatureContext context) throws FeatureRefusedException {
    Decoder decoder = context.decoder();
    if (decoder.vmThreads() == null) {
      return null; // it is not known whose a sample is
    }
    SampledContexts contexts =
        SampledContexts.open(instrumentation, decoder.store(), decoder.counts().counters);
    if (!contexts.whyNot().isEmpty()) {
      throw new FeatureRefusedException(contexts.whyNot());
    }
    decoder.label(contexts);
    return new Session(contexts);
  }

  private record Session(SampledContexts contexts) implements FeatureSession {
    @Override
    public void close() {
      contexts.close();
    }
  }
}
