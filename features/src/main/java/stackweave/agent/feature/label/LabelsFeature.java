package stackweave.agent.feature.label;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import stackweave.agent.decode.Decoder;
import stackweave.agent.decode.context.SampledContexts;
import stackweave.agent.feature.Feature;
import stackweave.agent.feature.FeatureContext;
import stackweave.agent.feature.FeatureRefusedException;
import stackweave.agent.feature.FeatureSession;
import stackweave.agent.message.Messages;

/**
 * Labels that the application sets on threads, for the context of samples: {@code
 * stackweave.Context}. Immutable.
 *
 * @param messages gets the reason why there are no labels
 */
public record LabelsFeature(Instrumentation instrumentation, Messages messages) implements Feature {
  @Override
  public String failure() {
    return "no labels";
  }

  @Override
  public FeatureSession open(FeatureContext context) throws FeatureRefusedException {
    Decoder decoder = context.decoder();
    if (decoder.vmThreads() == null) {
      return null; // the thread of a sample is not known
    }
    SampledContexts contexts;
    try {
      contexts = SampledContexts.open(instrumentation, decoder.store(), decoder.counts().counters);
    } catch (ReflectiveOperationException | IOException | RuntimeException | LinkageError e) {
      String whyNot = failure() + ": " + e;
      messages.sampling(whyNot);
      throw new FeatureRefusedException(whyNot);
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
