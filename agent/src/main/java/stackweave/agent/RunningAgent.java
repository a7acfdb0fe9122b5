package stackweave.agent;

import java.lang.instrument.Instrumentation;
import stackweave.agent.attach.StatusBoard;
import stackweave.agent.drain.HeapGate;
import stackweave.agent.drain.Sampler;
import stackweave.agent.message.Messages;
import stackweave.jfr.control.SamplingControl;
import stackweave.jfr.control.SamplingSettings;
import stackweave.jfr.store.EventStore;

/**
 * The agent at work, from its start until it is detached: a listener for recordings, and what
 * samples for them. Thread-safe.
 */
final class RunningAgent {
  private final Sampler sampler;
  private final SamplingControl control;
  private final HeapGate gate;

  /**
   * Nothing but a listener: all else waits for a recording that asks for samples.
   *
   * @param attached whether the application ran before the agent came
   */
  RunningAgent(Options options, boolean attached, Instrumentation instrumentation) {
    Messages messages = new Messages();
    sampler =
        new Sampler(
            instrumentation,
            options.mayInstrument(attached),
            options.recordFailures(),
            options.switchFile(),
            options.memory(),
            options.drainPercent(),
            (long) options.perfMebibytes() << 20,
            messages,
            new StatusBoard(instrumentation));
    gate = new HeapGate(instrumentation, messages, sampler);
    control =
        new SamplingControl(
            options.explicit(),
            options.intervalNanos() == Options.AS_RECORDED
                ? SamplingSettings.DEFAULT_INTERVAL_NANOS
                : options.intervalNanos(),
            options.engine(),
            options.depth() == Options.AS_RECORDED
                ? SamplingSettings.DEFAULT_DEPTH
                : options.depth(),
            sampler,
            gate);
    control.start();
  }

  /** Shows it where the command line looks; from then on whenever it changes. */
  void showStatus() {
    sampler.showStatus();
  }

  /**
   * Undoes all that was done, but for what can't be: JNA's dispatch library stays mapped. Returns
   * when it is done.
   *
   * @return false if the drain thread did not end in time
   */
  boolean detach() {
    control.close();
    gate.close();
    boolean ended = sampler.close();
    EventStore.unregisterEvents();
    return ended;
  }
}
