package stackweave.verify.chaos;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import stackweave.verify.chaos.antagonist.Antagonist;
import stackweave.verify.chaos.antagonist.Antagonists;

/** The tables of a page. */
final class Tables {
  private final StringBuilder page = new StringBuilder();

  /** What the run was made on. */
  void facts(Map<String, String> facts) {
    page.append("\n| | |\n|---|---|\n");
    facts.forEach((name, value) -> page.append("| %s | %s |\n".formatted(name, value)));
  }

  /** The antagonists and what they are for. */
  void antagonists(Iterable<String> mixes) {
    page.append("\n### Antagonists\n\n| antagonist | what it targets |\n|---|---|\n");
    for (String mix : mixes) {
      String targets =
          Antagonists.mix(mix).values().stream()
              .map(Antagonist::targets)
              .collect(Collectors.joining("; "));
      page.append("| %s | %s |\n".formatted(mix, targets));
    }
  }

  /** All runs, a line each. */
  void runs(List<Outcome> outcomes) {
    page.append(
        """

        ### Runs

        | antagonist | JDK | engine | minutes | what it did | results compared | samples | complete | lost | dropped | undecodable | CPU covered | result |
        |---|--:|---|--:|---|--:|--:|--:|--:|--:|--:|--:|---|
        """);
    outcomes.forEach(this::run);
    double minutes = outcomes.stream().mapToDouble(Outcome::minutes).sum();
    long results = outcomes.stream().mapToLong(Outcome::rounds).sum();
    long samples = outcomes.stream().mapToLong(outcome -> outcome.recorded().samples).sum();
    long failed = outcomes.stream().filter(outcome -> outcome.failure() != null).count();
    page.append(
        "| **all %d** | | | %.1f | | %,d | %,d | | | | | | **%s** |\n"
            .formatted(
                outcomes.size(),
                minutes,
                results,
                samples,
                failed == 0 ? "ok" : failed + " failed"));
  }

  private void run(Outcome outcome) {
    Recorded recorded = outcome.recorded();
    String done =
        outcome.done().entrySet().stream()
            .map(entry -> "%,d %s".formatted(entry.getValue(), entry.getKey()))
            .collect(Collectors.joining(", "));
    page.append(
        "| %s | %d | %s | %.1f | %s | %,d | %s | %s |\n"
            .formatted(
                outcome.run().mix(),
                outcome.run().jdk().feature(),
                outcome.run().engine(),
                outcome.minutes(),
                done,
                outcome.rounds(),
                outcome.run().hasAgent()
                    ? "%,d | %.2f %% | %,d | %,d | %,d | %.1f %%"
                        .formatted(
                            recorded.samples,
                            100 * recorded.completeShare(),
                            recorded.lost,
                            recorded.dropped,
                            recorded.undecodable,
                            100 * recorded.coveredShare())
                    : " | | | | | ",
                outcome.failure() == null ? "ok" : outcome.failure()));
  }

  /** What the agent had to say, and stacks that end early; nothing if there is nothing. */
  void remarks(List<Outcome> outcomes) {
    StringBuilder remarks = new StringBuilder();
    for (Outcome outcome : outcomes) {
      String run =
          "%s, %d, %s"
              .formatted(
                  outcome.run().mix(), outcome.run().jdk().feature(), outcome.run().engine());
      outcome.said().forEach(line -> remarks.append("- %s: `%s`\n".formatted(run, plain(line))));
      outcome
          .recorded()
          .notes
          .forEach(note -> remarks.append("- %s: `%s`\n".formatted(run, plain(note))));
      if (!outcome.recorded().early.isEmpty()) {
        remarks.append("- %s: stacks that end early: %s\n".formatted(run, early(outcome)));
      }
    }
    if (remarks.length() > 0) {
      page.append("\n### What the agent says of these runs\n\n").append(remarks);
    }
  }

  /** Without the place of this checkout. */
  private static String plain(String line) {
    return line.replaceAll("/\\S*/target/chaos/", "");
  }

  private static String early(Outcome outcome) {
    return outcome.recorded().early.entrySet().stream()
        .map(entry -> "%s %,d".formatted(entry.getKey(), entry.getValue()))
        .collect(Collectors.joining(", "));
  }

  @Override
  public String toString() {
    return page.toString();
  }
}
