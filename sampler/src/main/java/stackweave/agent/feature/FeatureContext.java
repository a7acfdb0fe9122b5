package stackweave.agent.feature;

import stackweave.agent.decode.Decoder;
import stackweave.agent.decode.SamplePipeline;
import stackweave.engine.EngineConfig;
import stackweave.engine.perf.PerfBudget;
import stackweave.jfr.control.SamplingRequest;
import stackweave.linux.CallPolicy;

/**
 * What a feature works with. For the drain thread, as long as its session.
 *
 * @param request what the recordings ask for
 * @param decoder what stacks are unwound and named with; it has the store and the counters
 * @param samples the way of the engine's samples, which also takes samples of an engine beside it
 * @param perfBudget kernel memory for perf events of threads, of which all share
 * @param config of the engine
 * @param sinceNanos when samples were asked for, or after a pause went on, by {@link
 *     System#nanoTime}
 */
public record FeatureContext(
    SamplingRequest request,
    Decoder decoder,
    SamplePipeline samples,
    PerfBudget perfBudget,
    EngineConfig config,
    long sinceNanos) {

  /** Which system calls may be made now. */
  public CallPolicy callPolicy() {
    return config.callPolicy();
  }
}
