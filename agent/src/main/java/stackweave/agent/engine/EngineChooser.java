package stackweave.agent.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Starts the first engine that this machine permits. */
public final class EngineChooser {
  private EngineChooser() {}

  /**
   * Starts an engine on the calling thread, which becomes its drain thread: that thread is not
   * sampled, nor are threads that it starts from here on, and it alone may use the engine ({@link
   * SampleEngine#wake} excepted).
   *
   * <p>The order is that of {@link EngineKind}, but {@link EngineConfig#preferred} comes first
   * where it is set; a preference never prevents the fallback to the others.
   */
  public static EngineChoice start(EngineConfig config) {
    List<EngineRefusal> refusals = new ArrayList<>();
    for (EngineKind kind : order(config.preferred())) {
      try {
        return new EngineChoice(Optional.of(start(kind, config)), refusals);
      } catch (EngineRefusedException e) {
        refusals.add(e.refusal());
      }
    }
    return new EngineChoice(Optional.empty(), refusals);
  }

  private static SampleEngine start(EngineKind kind, EngineConfig config)
      throws EngineRefusedException {
    return switch (kind) {
      case PERF, PERF_USER -> PerfEngine.start(kind, config);
    };
  }

  private static List<EngineKind> order(EngineKind preferred) {
    List<EngineKind> order = new ArrayList<>(List.of(EngineKind.values()));
    if (preferred != null) {
      order.remove(preferred);
      order.add(0, preferred);
    }
    return order;
  }
}
