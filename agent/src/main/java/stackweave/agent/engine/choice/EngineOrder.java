package stackweave.agent.engine.choice;

import java.util.ArrayList;
import java.util.List;
import stackweave.agent.engine.EngineRefusal;
import stackweave.agent.engine.EngineRefusal.Reason;
import stackweave.jfr.control.EngineKind;

/**
 * In which order engines are tried on a kernel. The usual order is that of {@link EngineKind};
 * older kernels have faults that make another one right:
 *
 * <ul>
 *   <li>before 5.13 child processes inherit perf's events, also those that execute another program:
 *       timers come first, which nobody inherits;
 *   <li>before 5.9 timers can end blocking calls of the application: they come last.
 * </ul>
 *
 * @param kinds the engines, the first to be tried first
 * @param passedOver those that come later than usual, and why
 */
public record EngineOrder(List<EngineKind> kinds, List<EngineRefusal> passedOver) {
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
   * @param preferred what comes before all others, or null
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

  /** Those that nobody has to name, in the order that is right for the kernel. */
  private static List<EngineKind> fallbacks(KernelVersion kernel) {
    List<EngineKind> kinds = new ArrayList<>();
    for (EngineKind kind : EngineKind.values()) {
      if (kind.isFallback()) {
        kinds.add(kind);
      }
    }
    if (kernel.isBefore(KernelVersion.TIMERS_LEAVE_CALLS_ALONE)) {
      kinds.remove(EngineKind.TIMER);
      kinds.add(EngineKind.TIMER);
    } else if (isBetween(kernel)) {
      kinds.remove(EngineKind.TIMER);
      kinds.add(0, EngineKind.TIMER);
    }
    return kinds;
  }

  private static boolean isBetween(KernelVersion kernel) {
    return kernel.isBefore(KernelVersion.EVENTS_STAY_IN_PROCESS)
        && !kernel.isBefore(KernelVersion.TIMERS_LEAVE_CALLS_ALONE);
  }

  private static EngineRefusal passedOver(EngineKind kind, String why) {
    return new EngineRefusal(kind, Reason.NOT_PREFERRED, 0, why);
  }

  /** What the user should know of the engine that was chosen; "" if nothing. */
  public static String note(EngineChoice choice) {
    return choice.engine().map(engine -> note(engine.kind(), KernelVersion.current())).orElse("");
  }

  /** The same of an engine on a kernel. Perf says by itself what it finds children to inherit. */
  static String note(EngineKind kind, KernelVersion kernel) {
    return kind == EngineKind.TIMER && kernel.isBefore(KernelVersion.TIMERS_LEAVE_CALLS_ALONE)
        ? "before Linux 5.9 a CPU timer can end a blocking call of the application (EINTR), and no"
            + " other engine may run here"
        : "";
  }
}
