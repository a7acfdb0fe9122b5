package stackweave.engine.choice;

import java.util.ArrayList;
import java.util.List;
import stackweave.engine.KernelVersion;
import stackweave.jfr.control.EngineKind;

/**
 * The order in which engines are tried on a kernel: that of {@link EngineKind}, except before Linux
 * 5.9, where timers can interrupt blocking calls of the application and so come last.
 *
 * @param kinds the engines, the first to be tried first
 */
public record EngineOrder(List<EngineKind> kinds) {
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
    if (kernel.isBefore(KernelVersion.TIMERS_WAIT)) {
      kinds.remove(EngineKind.TIMER);
      kinds.add(EngineKind.TIMER);
    }
    if (preferred != null) {
      kinds.remove(preferred);
      kinds.add(0, preferred);
    }
    return new EngineOrder(kinds);
  }
}
