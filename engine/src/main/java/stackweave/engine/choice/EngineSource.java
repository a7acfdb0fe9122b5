package stackweave.engine.choice;

import stackweave.engine.EngineConfig;
import stackweave.engine.SignalTargets;
import stackweave.engine.perf.PerfBudget;

/** Starts engines for a drain thread; tests replace it. Used on that thread only. */
public interface EngineSource {
  /**
   * The machine's engines, by {@link EngineChooser}. Not a lambda: it is used before the heap is
   * known to have room, and bootstrapping the first lambda takes half a MiB.
   */
  EngineSource OF_MACHINE =
      new EngineSource() {
        @Override
        public EngineChoice start(EngineConfig config, SignalTargets targets, PerfBudget budget) {
          return EngineChooser.start(config, targets, budget);
        }
      };

  /**
   * Starts an engine on the calling thread, as {@link EngineChooser} does.
   *
   * @param targets is asked if an engine that sends signals is started
   * @param budget the kernel's memory that perf events may take
   */
  EngineChoice start(EngineConfig config, SignalTargets targets, PerfBudget budget);
}
