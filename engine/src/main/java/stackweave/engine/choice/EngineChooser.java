package stackweave.engine.choice;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineRefusal;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.KernelVersion;
import stackweave.engine.RefusalText;
import stackweave.engine.SampleEngine;
import stackweave.engine.SignalTargets;
import stackweave.engine.perf.PerfBudget;
import stackweave.engine.perf.PerfCpuEngine;
import stackweave.engine.perf.PerfRefusals;
import stackweave.engine.perf.PerfThreadEngine;
import stackweave.engine.timer.TimerEngine;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SampledEvent;
import stackweave.linux.CallPolicy;
import stackweave.linux.GuardedCall;

/** Starts the first engine that this machine permits. Called by the drain thread. Stateless. */
public final class EngineChooser {
  private EngineChooser() {}

  /** Starts an engine without the knowledge of the process that engines with signals need. */
  public static EngineChoice start(EngineConfig config) {
    return start(config, SignalTargets.NONE);
  }

  /**
   * Starts an engine on the calling thread, which becomes its drain thread: neither it nor threads
   * that it starts later are sampled, and only it may use the engine (except {@link
   * SampleEngine#wake}). {@link EngineConfig#preferred} comes first if set; the others still
   * follow. If a seccomp filter may kill the process for perf_event_open, perf engines are not
   * tried unless preferred.
   *
   * @param targets used if an engine that sends signals is started, on this thread only
   */
  public static EngineChoice start(EngineConfig config, SignalTargets targets) {
    return start(config, targets, new PerfBudget(PerfBudget.DEFAULT_BYTES));
  }

  /** As {@link #start(EngineConfig, SignalTargets)}, with a budget shared with earlier engines. */
  public static EngineChoice start(EngineConfig config, SignalTargets targets, PerfBudget budget) {
    List<EngineRefusal> refusals = new ArrayList<>();
    CallPolicy policy = config.callPolicy();
    for (EngineKind kind : order(config.preferred(), KernelVersion.current())) {
      if (!config.process().isOwn() && !samplesOther(kind, config.event())) {
        if (config.event().kind() == SampledEvent.Kind.UPROBE && kind == EngineKind.PERF_THREAD) {
          refusals.add(
              RefusalText.EVENT_OF_OWN_PROCESS.of(kind, 0, config.event().name()).refusal());
        } else if (kind == config.preferred()) {
          refusals.add(RefusalText.OWN_PROCESS_ONLY.of(kind, 0).refusal());
        }
        continue;
      }
      if (config.process().isOwn() && !config.event().isCpu() && !kind.samplesEvents()) {
        if (kind == config.preferred()) {
          refusals.add(
              RefusalText.EVENT_NOT_BY_ENGINE.of(kind, 0, config.event().name()).refusal());
        }
        continue;
      }
      if (kind.usesPerfEvents() && !policy.allows(GuardedCall.PERF_EVENT_OPEN)) {
        refusals.add(PerfRefusals.notTried(kind));
        continue;
      }
      try {
        return new EngineChoice(
            Optional.of(start(kind, config, targets, budget)), refusals, policy.filtered());
      } catch (EngineRefusedException e) {
        refusals.add(e.refusal());
      }
    }
    return new EngineChoice(Optional.empty(), refusals, policy.filtered());
  }

  /**
   * Whether an engine samples the event of another process. What the kernel or the processor counts
   * is sampled by CPU; a tracepoint by events of its threads, since a program that filters a
   * tracepoint filters it for all tools. A function is not sampled: events of CPUs would set
   * breakpoints in all processes; and when a thread inherits the event, the kernel reads the
   * library's path again, from the memory of the process that starts the thread
   * (perf_uprobe_event_init in kernel/events/core.c), where it is not: the thread would not start.
   */
  private static boolean samplesOther(EngineKind kind, SampledEvent event) {
    return switch (event.kind()) {
      case CPU, SOFTWARE, HARDWARE -> kind == EngineKind.PERF;
      case TRACEPOINT, UNKNOWN -> kind == EngineKind.PERF_THREAD;
      case UPROBE -> false;
    };
  }

  /**
   * The order in which engines are tried on a kernel: that of {@link EngineKind}, except before
   * Linux 5.9, where timers can interrupt blocking calls of the application and so come last. It is
   * the same on AArch64, where the engine's note says what is different.
   *
   * @param preferred the engine to try before all others, or null
   */
  static List<EngineKind> order(EngineKind preferred, KernelVersion kernel) {
    List<EngineKind> kinds = new ArrayList<>(List.of(EngineKind.values()));
    if (kernel.isBefore(KernelVersion.TIMERS_WAIT)) {
      kinds.remove(EngineKind.TIMER);
      kinds.add(EngineKind.TIMER);
    }
    if (preferred != null) {
      kinds.remove(preferred);
      kinds.add(0, preferred);
    }
    return kinds;
  }

  private static SampleEngine start(
      EngineKind kind, EngineConfig config, SignalTargets targets, PerfBudget budget)
      throws EngineRefusedException {
    return switch (kind) {
      case PERF -> PerfCpuEngine.start(config, budget);
      case PERF_THREAD, PERF_USER -> PerfThreadEngine.start(kind, config, budget);
      case TIMER -> TimerEngine.start(config, targets);
    };
  }
}
