package stackweave.agent.engine.choice;

import stackweave.agent.engine.EngineConfig;
import stackweave.agent.engine.ThreadStacks;
import stackweave.agent.engine.perf.PerfBudget;

/** Where a drain thread gets its engines from. Used on that thread only. */
public interface EngineSource {
  /**
   * The machine's engines, by {@link EngineChooser}. No lambda: it is named before the heap is
   * known to have room, and bootstrapping the first lambda takes half a MiB of it.
   */
  EngineSource OF_MACHINE =
      new EngineSource() {
        @Override
        public EngineChoice start(EngineConfig config, ThreadStacks javaStacks, PerfBudget budget) {
          return EngineChooser.start(config, javaStacks, budget);
        }
      };

  /**
   * Starts an engine on the calling thread, by the contract of {@link EngineChooser}.
   *
   * @param javaStacks where the stacks of Java threads are
   * @param budget the kernel's memory that perf events may take
   */
  EngineChoice start(EngineConfig config, ThreadStacks javaStacks, PerfBudget budget);
}
