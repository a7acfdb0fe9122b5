package stackweave.engine.choice;

import java.util.List;
import java.util.Optional;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.RefusalText;
import stackweave.engine.SignalTargets;
import stackweave.engine.perf.PerfBudget;
import stackweave.engine.perf.PerfSharedEngine;
import stackweave.engine.perf.SharedEvents;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.MemoryAccess;

/** Samples CPU time of many processes by one set of perf events. Thread-safe. */
public final class SharedEngines implements EngineSource, AutoCloseable {
  private final SharedEvents events = new SharedEvents();

  /**
   * Opens the events, which take no samples before an engine is started.
   *
   * @param request what is asked for of all processes
   * @return why that is not possible here, in one line; empty if it is
   */
  public String prepare(SamplingRequest request) {
    try {
      events.prepare(EngineConfig.of(request, MemoryAccess.AUTO, SampledProcess.OWN));
      return "";
    } catch (EngineRefusedException e) {
      return e.refusal().line();
    }
  }

  @Override
  public EngineChoice start(EngineConfig config, SignalTargets targets, PerfBudget budget) {
    boolean isFiltered = config.callPolicy().filtered();
    try {
      if (!config.event().isCpu()) {
        throw RefusalText.EVENT_NOT_BY_ENGINE.of(EngineKind.PERF, 0, config.event().name());
      }
      return new EngineChoice(
          Optional.of(PerfSharedEngine.start(events, config, budget)), List.of(), isFiltered);
    } catch (EngineRefusedException e) {
      return new EngineChoice(Optional.empty(), List.of(e.refusal()), isFiltered);
    }
  }

  /** Ends the sampling of a process whose engine's thread hangs, and does not end it itself. */
  public void forget(int pid) {
    events.forget(pid);
  }

  /** Closes the events; no engine may run any more. */
  @Override
  public void close() {
    events.close();
  }
}
