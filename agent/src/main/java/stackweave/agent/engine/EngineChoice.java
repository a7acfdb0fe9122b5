package stackweave.agent.engine;

import java.util.List;
import java.util.Optional;

/**
 * The engine that was started, if any, and why those tried before it were not.
 *
 * @param engine the running engine; empty if all refused
 * @param refusals in the order of the attempts
 */
public record EngineChoice(Optional<SampleEngine> engine, List<EngineRefusal> refusals) {
  public EngineChoice {
    refusals = List.copyOf(refusals);
  }
}
