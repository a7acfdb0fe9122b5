package stackweave.agent.engine.choice;

import java.util.ArrayList;
import java.util.List;
import stackweave.agent.cpu.x86_64.KernelReleases;
import stackweave.agent.engine.EngineRefusal;
import stackweave.agent.engine.EngineRefusal.Reason;
import stackweave.agent.engine.KernelVersion;
import stackweave.jfr.control.EngineKind;

/**
 * The order in which engines are tried on a kernel: that of {@link EngineKind}, except on older
 * kernels. Before 5.13 child processes inherit perf's events, also after an exec, so timers come
 * first; before 5.9 timers can interrupt blocking calls of the application, so they come last.
 *
 * @param kinds the engines, the first to be tried first
 * @param passedOver those that come later than in the default order, with the reason
 */
public record EngineOrder(List<EngineKind> kinds, List<EngineRefusal> passedOver) {
  /** The order goes by it on AArch64, too, where the engine's note says what is different. */
  private static final KernelVersion TIMERS_LEAVE_CALLS_ALONE =
      KernelVersion.of(KernelReleases.TIMERS_LEAVE_CALLS_ALONE);

  /** inherit_thread and remove_on_exec of perf_event_attr. */
  private static final KernelVersion EVENTS_STAY_IN_PROCESS = new KernelVersion(5, 13);

  private static final String CHILDREN_INHERIT =
      "before Linux 5.13 child processes inherit its events and are slowed down by them, so timers"
          + " come first; engine=perf takes it nevertheless";

  public EngineOrder {
    kinds = List.copyOf(kinds);
    passedOver = List.copyOf(passedOver);
  }

  /**
   * The order on a kernel.
   *
   * @param preferred the engine to try before all others, or null
   */
  static EngineOrder of(EngineKind preferred, KernelVersion kernel) {
    List<EngineKind> kinds = fallbacks(kernel);
    List<EngineRefusal> passedOver = new ArrayList<>();
    if (preferred != null) {
      kinds.remove(preferred);
      kinds.add(0, preferred);
    } else if (isBetween(kernel)) {
      passedOver.add(passedOver(EngineKind.PERF, CHILDREN_INHERIT));
    }
    return new EngineOrder(kinds, passedOver);
  }

  /** The engines that need not be named to be tried, in this kernel's order. */
  private static List<EngineKind> fallbacks(KernelVersion kernel) {
    List<EngineKind> kinds = new ArrayList<>();
    for (EngineKind kind : EngineKind.values()) {
      if (kind.isFallback()) {
        kinds.add(kind);
      }
    }
    if (kernel.isBefore(TIMERS_LEAVE_CALLS_ALONE)) {
      kinds.remove(EngineKind.TIMER);
      kinds.add(EngineKind.TIMER);
    } else if (isBetween(kernel)) {
      kinds.remove(EngineKind.TIMER);
      kinds.add(0, EngineKind.TIMER);
    }
    return kinds;
  }

  private static boolean isBetween(KernelVersion kernel) {
    return kernel.isBefore(EVENTS_STAY_IN_PROCESS) && !kernel.isBefore(TIMERS_LEAVE_CALLS_ALONE);
  }

  private static EngineRefusal passedOver(EngineKind kind, String why) {
    return new EngineRefusal(kind, Reason.NOT_PREFERRED, 0, why);
  }

  /** A note for the user on the chosen engine; empty if there is nothing to say. */
  public static String note(EngineChoice choice) {
    return choice.engine().isEmpty()
        ? ""
        : note(choice.engine().get().kind(), KernelVersion.current());
  }

  /**
   * As {@link #note(EngineChoice)}; the perf engine itself reports child processes that inherit its
   * events.
   */
  static String note(EngineKind kind, KernelVersion kernel) {
    return kind == EngineKind.TIMER && kernel.isBefore(TIMERS_LEAVE_CALLS_ALONE)
        ? "before Linux 5.9 a CPU timer can end a blocking call of the application (EINTR), and no"
            + " other engine may run here"
        : "";
  }
}
