package stackweave.agent;

import java.lang.instrument.Instrumentation;
import stackweave.agent.attach.StatusBoard;
import stackweave.agent.drain.RoomGate;
import stackweave.agent.drain.Sampler;
import stackweave.agent.feature.call.CallsFeature;
import stackweave.agent.message.Messages;
import stackweave.agent.option.Options;
import stackweave.jfr.control.SamplingControl;
import stackweave.jfr.control.SamplingDefaults;
import stackweave.jfr.store.EventStore;

/**
 * The started agent, until it is detached: the listener for recordings and the sampler it drives.
 * Created and detached by {@link Agent}. Thread-safe.
 */
final class RunningAgent {
  private final Sampler sampler;
  private final SamplingControl control;
  private final RoomGate gate;

  /** Null if no native methods are timed. */
  private final CallsFeature calls;

  /**
   * Registers the listener only; everything else is created when a recording asks for samples, but
   * for {@link EarlyNatives}.
   */
  RunningAgent(Options options, Instrumentation instrumentation) {
    if (!options.isAttached()) {
      EarlyNatives.begin(instrumentation);
    }
    Messages messages = new Messages();
    calls =
        options.calls().isEmpty()
            ? null
            : CallsFeature.install(
                options.calls(), options.isAttached(), instrumentation, messages);
    FeatureList features = new FeatureList(options, instrumentation, messages, calls);
    sampler =
        new Sampler(instrumentation, options, features, messages, new StatusBoard(instrumentation));
    if (options.hooks() == Options.Hooks.EARLY) {
      features.observeLoadsEarly();
    }
    gate = new RoomGate(instrumentation, messages, sampler);
    control = new SamplingControl(options.explicit(), defaults(options), sampler, gate);
    if (calls != null) {
      control.timeCalls(calls);
    }
    control.start();
  }

  /** What the options say for recordings whose settings say nothing. */
  static SamplingDefaults defaults(Options options) {
    return new SamplingDefaults(
        options.intervalNanos(),
        options.engine(),
        options.depth(),
        options.event(),
        options.features());
  }

  /** Publishes the status in the agent properties; after this it is updated whenever it changes. */
  void showStatus() {
    sampler.showStatus();
  }

  /**
   * Undoes everything except what can't be: JNA's dispatch library stays mapped. Blocks until done.
   *
   * @return false if the drain thread did not end in time
   */
  boolean detach() {
    control.close();
    if (calls != null) {
      calls.close();
    }
    gate.close();
    boolean ended = sampler.close();
    EventStore.unregisterEvents();
    return ended;
  }
}
