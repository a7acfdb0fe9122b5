package stackweave.agent.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

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

  /** All refusals in one line, one text for all engines that were refused for the same reason. */
  public String reasons() {
    Map<String, List<String>> engines = new LinkedHashMap<>();
    for (EngineRefusal refusal : refusals) {
      engines
          .computeIfAbsent(refusal.separator() + refusal.cause(), cause -> new ArrayList<>())
          .add(refusal.engine().label());
    }
    return engines.entrySet().stream()
        .map(e -> String.join(", ", e.getValue()) + e.getKey())
        .collect(Collectors.joining("; "));
  }
}
