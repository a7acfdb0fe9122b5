package stackweave.agent.engine.choice;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import stackweave.agent.engine.EngineConfig;
import stackweave.agent.engine.EngineRefusal;
import stackweave.agent.engine.EngineRefusedException;
import stackweave.agent.engine.SampleEngine;
import stackweave.agent.engine.ThreadStacks;
import stackweave.agent.engine.perf.PerfBudget;
import stackweave.agent.engine.perf.PerfEngine;
import stackweave.agent.engine.perf.PerfRefusals;
import stackweave.agent.engine.timer.TimerEngine;
import stackweave.agent.linux.CallPolicy;
import stackweave.agent.linux.GuardedCall;
import stackweave.jfr.control.EngineKind;

/** Starts the first engine that this machine permits. */
public final class EngineChooser {
  private EngineChooser() {}

  /** Starts an engine that has to find all stacks by itself. */
  public static EngineChoice start(EngineConfig config) {
    return start(config, ThreadStacks.NONE);
  }

  /**
   * Starts an engine on the calling thread, which becomes its drain thread: that thread is not
   * sampled, nor are threads that it starts from here on, and it alone may use the engine ({@link
   * SampleEngine#wake} excepted).
   *
   * <p>The order is that of {@link EngineOrder}, but {@link EngineConfig#preferred} comes first
   * where it is set; a preference never prevents the fallback to the others. Where a seccomp filter
   * may kill who asks for perf events, perf engines are not tried unless one is preferred.
   *
   * @param javaStacks where the stacks of Java threads are; used on this thread only
   */
  public static EngineChoice start(EngineConfig config, ThreadStacks javaStacks) {
    return start(config, javaStacks, new PerfBudget(PerfBudget.DEFAULT_BYTES));
  }

  /** The same within a budget that knows of engines before. */
  public static EngineChoice start(
      EngineConfig config, ThreadStacks javaStacks, PerfBudget budget) {
    EngineOrder order = EngineOrder.of(config.preferred(), KernelVersion.current());
    List<EngineRefusal> refusals = new ArrayList<>(order.passedOver());
    CallPolicy policy = config.callPolicy();
    for (EngineKind kind : order.kinds()) {
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
