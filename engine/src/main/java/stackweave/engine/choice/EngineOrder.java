package stackweave.engine.choice;

import java.util.ArrayList;
import java.util.List;
import stackweave.cpu.x86_64.KernelReleases;
import stackweave.engine.KernelVersion;
import stackweave.jfr.control.EngineKind;

/**
 * The order in which engines are tried on a kernel: that of {@link EngineKind}, except before Linux
 * 5.9, where timers can interrupt blocking calls of the application and so come last.
 *
 * @param kinds the engines, the first to be tried first
 */
public record EngineOrder(List<EngineKind> kinds) {
  /** The order goes by it on AArch64, too, where the engine's note says what is different. */
  private static final KernelVersion TIMERS_LEAVE_CALLS_ALONE =
      KernelVersion.of(KernelReleases.TIMERS_LEAVE_CALLS_ALONE);

  public EngineOrder {
    kinds = List.copyOf(kinds);
  }

  /**
   * The order on a kernel.
   *
   * @param preferred the engine to try before all others, or null
   */
  static EngineOrder of(EngineKind preferred, KernelVersion kernel) {
    List<EngineKind> kinds = new ArrayList<>(List.of(EngineKind.values()));
    if (kernel.isBefore(TIMERS_LEAVE_CALLS_ALONE)) {
      kinds.remove(EngineKind.TIMER);
      kinds.add(EngineKind.TIMER);
    }
    if (preferred != null) {
      kinds.remove(preferred);
      kinds.add(0, preferred);
    }
    return new EngineOrder(kinds);
  }

  /** A note for the user on the chosen engine; empty if there is nothing to say. */
  public static String note(EngineChoice choice) {
    return choice.engine().isEmpty()
        ? ""
        : note(choice.engine().get().description().kind(), KernelVersion.current());
  }

  /** As {@link #note(EngineChoice)}; engines of threads' events say themselves what these cost. */
  static String note(EngineKind kind, KernelVersion kernel) {
    return kind == EngineKind.TIMER && kernel.isBefore(TIMERS_LEAVE_CALLS_ALONE)
        ? "before Linux 5.9 a CPU timer can end a blocking call of the application (EINTR), and no"
            + " other engine may run here"
        : "";
  }
}
