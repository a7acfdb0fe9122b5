package stackweave.engine.choice;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import stackweave.engine.EngineRefusal;
import stackweave.engine.SampleEngine;

/**
 * The result of {@link EngineChooser}: the engine that was started, if any, and the refusals of
 * those before it. Immutable.
 *
 * @param engine the running engine; empty if all refused
 * @param refusals in the order of the attempts
 * @param filtered whether the calling thread was under a seccomp filter at that time
 */
public record EngineChoice(
    Optional<SampleEngine> engine, List<EngineRefusal> refusals, boolean filtered) {
  public EngineChoice {
    refusals = List.copyOf(refusals);
  }

  /** Whether a refusal's cause may go away at any time, so that trying again makes sense. */
  public boolean mayPass() {
    for (EngineRefusal refusal : refusals) {
      switch (refusal.reason()) {
        case SIGNAL_BLOCKED, SIGNAL_QUEUE, NO_SIGNAL, IN_USE, RING_MEMORY, NOT_MAPPED -> {
          return true;
        }
        default -> {}
      }
    }
    return false;
  }

  /** All refusals in one line; engines with the same cause are named together. */
  public String reasons() {
    if (refusals.isEmpty()) {
      return ""; // without what is below, which takes milliseconds to link
    }
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
