package stackweave.agent.engine.choice;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import stackweave.agent.engine.EngineConfig;
import stackweave.agent.engine.EngineRefusal;
import stackweave.agent.engine.EngineRefusedException;
import stackweave.agent.engine.KernelVersion;
import stackweave.agent.engine.SampleEngine;
import stackweave.agent.engine.ThreadStacks;
import stackweave.agent.engine.perf.PerfBudget;
import stackweave.agent.engine.perf.PerfEngine;
import stackweave.agent.engine.perf.PerfRefusals;
import stackweave.agent.engine.perf.event.EventRefusals;
import stackweave.agent.engine.timer.TimerEngine;
import stackweave.agent.linux.CallPolicy;
import stackweave.agent.linux.GuardedCall;
import stackweave.jfr.control.EngineKind;

/**
 * Starts the first engine that this machine permits, in the order of {@link EngineOrder}. Called by
 * the drain thread. Stateless.
 */
public final class EngineChooser {
  private EngineChooser() {}

  /** Starts an engine without a source of Java threads' stacks. */
  public static EngineChoice start(EngineConfig config) {
    return start(config, ThreadStacks.NONE);
  }

  /**
   * Starts an engine on the calling thread, which becomes its drain thread: it is not sampled, nor
   * are threads that it starts later, and it alone may use the engine (except {@link
   * SampleEngine#wake}). {@link EngineConfig#preferred} comes first if set; the others still
   * follow. If a seccomp filter may kill the process for perf_event_open, perf engines are not
   * tried unless preferred.
   *
   * @param javaStacks the bounds of Java threads' stacks; used on this thread only
   */
  public static EngineChoice start(EngineConfig config, ThreadStacks javaStacks) {
    return start(config, javaStacks, new PerfBudget(PerfBudget.DEFAULT_BYTES));
  }

  /** As {@link #start(EngineConfig, ThreadStacks)}, with a budget shared with earlier engines. */
  public static EngineChoice start(
      EngineConfig config, ThreadStacks javaStacks, PerfBudget budget) {
    EngineOrder order = EngineOrder.of(config.preferred(), KernelVersion.current());
    List<EngineRefusal> refusals = new ArrayList<>(order.passedOver());
    CallPolicy policy = config.callPolicy();
    for (EngineKind kind : order.kinds()) {
      if (!config.event().isCpu() && !kind.usesPerfEvents()) {
        if (kind == config.preferred()) {
          refusals.add(EventRefusals.notByTimers(kind, config.event()));
        }
        continue;
      }
      if (kind.usesPerfEvents() && !policy.allows(GuardedCall.PERF_EVENT_OPEN)) {
        refusals.add(PerfRefusals.notTried(kind));
        continue;
      }
      try {
        return new EngineChoice(
            Optional.of(start(kind, config, javaStacks, budget)), refusals, policy.filtered());
      } catch (EngineRefusedException e) {
        refusals.add(e.refusal());
      }
    }
    return new EngineChoice(Optional.empty(), refusals, policy.filtered());
  }

  private static SampleEngine start(
      EngineKind kind, EngineConfig config, ThreadStacks javaStacks, PerfBudget budget)
      throws EngineRefusedException {
    return switch (kind) {
      case PERF, PERF_USER -> PerfEngine.start(kind, config, budget);
      case TIMER -> TimerEngine.start(config, javaStacks);
    };
  }
}
