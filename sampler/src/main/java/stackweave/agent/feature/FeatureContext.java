package stackweave.agent.feature;

import stackweave.agent.decode.Decoder;
import stackweave.agent.decode.SamplePipeline;
import stackweave.engine.EngineConfig;
import stackweave.engine.perf.PerfBudget;
import stackweave.jfr.control.SamplingRequest;
import stackweave.linux.CallPolicy;

/**
 * The inputs of a feature's session. For the drain thread, as long as the session lasts.
 *
 * @param request what the recordings ask for
 * @param decoder what stacks are unwound and named with; it has the store and the counters
 * @param samples decodes the engine's samples, and those of a second engine
 * @param perfBudget the budget of kernel memory for perf events of threads, which all share
 * @param config the engine's
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
