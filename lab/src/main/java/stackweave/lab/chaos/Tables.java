package stackweave.lab.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import stackweave.lab.chaos.antagonist.Antagonist;
import stackweave.lab.chaos.antagonist.Antagonists;
import stackweave.testing.Markdown;

/** The tables of a page, as Markdown. {@code Chaos} calls it. */
final class Tables {
  private final Markdown page;

  Tables(Markdown page) {
    this.page = page;
  }

  /** The antagonists and what each of them tests. */
  void antagonists(Iterable<String> mixes) {
    page.title("Antagonists");
    page.table("antagonist", "what it targets");
    for (String mix : mixes) {
      String targets =
          Antagonists.mix(mix).values().stream()
              .map(Antagonist::targets)
              .collect(Collectors.joining("; "));
      page.row(mix, targets);
    }
  }

  /** All runs, a row each. */
  void runs(List<Outcome> outcomes) {
    page.title("Runs");
    page.table(
        "antagonist",
        ">JDK",
        "engine",
        ">minutes",
        "what it did",
        ">results compared",
        ">samples",
        ">complete",
        ">lost",
        ">dropped",
        ">undecodable",
        ">CPU covered",
        "result");
    outcomes.forEach(this::run);
    double minutes = outcomes.stream().mapToDouble(Outcome::minutes).sum();
    long results = outcomes.stream().mapToLong(Outcome::rounds).sum();
    long samples = outcomes.stream().mapToLong(outcome -> outcome.recorded().samples).sum();
    long failed = outcomes.stream().filter(outcome -> outcome.failure() != null).count();
    page.row(
        "**all %d**".formatted(outcomes.size()),
        "",
        "",
        "%.1f".formatted(minutes),
        "",
        "%,d".formatted(results),
        "%,d".formatted(samples),
        "",
        "",
        "",
        "",
        "",
        "**%s**".formatted(failed == 0 ? "ok" : failed + " failed"));
  }

  private void run(Outcome outcome) {
    Recorded recorded = outcome.recorded();
    String done =
        outcome.done().entrySet().stream()
            .map(entry -> "%,d %s".formatted(entry.getValue(), entry.getKey()))
            .collect(Collectors.joining(", "));
    boolean sampled = outcome.run().isSampled();
    page.row(
        outcome.run().mix(),
        Integer.toString(outcome.run().jdk().feature()),
        outcome.run().engine(),
        "%.1f".formatted(outcome.minutes()),
        done,
        "%,d".formatted(outcome.rounds()),
        sampled ? "%,d".formatted(recorded.samples) : "",
        sampled ? "%.2f %%".formatted(100 * recorded.completeShare()) : "",
        sampled ? "%,d".formatted(recorded.lost) : "",
        sampled ? "%,d".formatted(recorded.dropped) : "",
        sampled ? "%,d".formatted(recorded.undecodable) : "",
        sampled ? "%.1f %%".formatted(100 * recorded.coveredShare()) : "",
        outcome.failure() == null ? "ok" : outcome.failure());
  }

  /** The agent's messages and the incomplete stacks; nothing if there are none. */
  void remarks(List<Outcome> outcomes) {
    List<String> remarks = new ArrayList<>();
    for (Outcome outcome : outcomes) {
      String run =
          "%s, %d, %s"
              .formatted(
                  outcome.run().mix(), outcome.run().jdk().feature(), outcome.run().engine());
      outcome.said().forEach(line -> remarks.add("%s: `%s`".formatted(run, plain(line))));
      outcome.recorded().notes.forEach(note -> remarks.add("%s: `%s`".formatted(run, plain(note))));
      if (!outcome.recorded().early.isEmpty()) {
        remarks.add("%s: stacks that end early: %s".formatted(run, early(outcome)));
      }
    }
    if (!remarks.isEmpty()) {
      page.title("What the agent says of these runs");
      page.items(remarks);
    }
  }

  /** The line without the path of this checkout. */
  private static String plain(String line) {
    return line.replaceAll("/\\S*/target/chaos/", "");
  }

  private static String early(Outcome outcome) {
    return outcome.recorded().early.entrySet().stream()
        .map(entry -> "%s %,d".formatted(entry.getKey(), entry.getValue()))
        .collect(Collectors.joining(", "));
  }
}
