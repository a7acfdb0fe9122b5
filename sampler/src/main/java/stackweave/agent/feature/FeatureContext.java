package stackweave.agent.feature;

import stackweave.agent.decode.Decoder;
import stackweave.agent.decode.SamplePipeline;
import stackweave.engine.perf.PerfBudget;
import stackweave.jfr.control.SamplingRequest;
import stackweave.linux.CallPolicy;

/** What a feature works with. For the drain thread, as long as its session. */
public interface FeatureContext {
  /** What the recordings ask for. */
  SamplingRequest request();

  /** What stacks are unwound and named with; it has the store and the counters. */
  Decoder decoder();

  /** The way of the engine's samples, which also takes samples of an engine beside it. */
  SamplePipeline samples();

  /** Kernel memory for perf events of threads, of which all share. */
  PerfBudget perfBudget();

  /** Which system calls may be made now. */
  CallPolicy callPolicy();

  /** When samples were asked for, or after a pause went on, by {@link System#nanoTime}. */
  long sinceNanos();
}
