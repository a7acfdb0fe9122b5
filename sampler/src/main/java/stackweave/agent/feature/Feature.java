package stackweave.agent.feature;

import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.process.SampledProcess;
import stackweave.maps.modules.ModuleIndex;

/**
 * Something that is recorded beside the samples of the CPU engine, such as waiting threads. One
 * object of each exists as long as the agent; what it does while samples are taken is a {@link
 * FeatureSession}. CONTRIBUTING.md says how to add one.
 */
public interface Feature {
  /** What is missing if it fails, for users: "waiting threads are not looked at". */
  String failure();

  /** Sampling is about to begin, and the mappings are not read yet. On the drain thread. */
  default void prepare(ModuleIndex modules) {}

  /**
   * Begins, on the drain thread, when the first engine runs and the store is open.
   *
   * @return null where the request does not ask for it
   * @throws FeatureRefusedException where it is asked for and not possible
   */
  FeatureSession open(FeatureContext context) throws FeatureRefusedException;

  /**
   * Why it can't be recorded of another process although that is asked for, where the agent inside
   * might: in one line, empty for no reason. Any thread; leaves nothing behind.
   */
  default String whyNotOf(SampledProcess process, SamplingRequest request) {
    return "";
  }

  /** No engine samples for now: releases what it holds for sampling. */
  default void pause() {}

  /** The agent is detached. Called when there is no drain thread any more. */
  default void remove() {}
}
