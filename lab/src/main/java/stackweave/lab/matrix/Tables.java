package stackweave.lab.matrix;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import stackweave.lab.matrix.Run.Outcome;
import stackweave.testing.Jdk;
import stackweave.testing.Markdown;

/** The outcomes in tables, which it adds to a page. */
final class Tables {
  private static final int MAX_LINES = 25;

  private final Markdown page;

  Tables(Markdown page) {
    this.page = page;
  }

  /** The phases of a run. */
  void phases(Outcome outcome) {
    page.title("%s, by phase".formatted(outcome.run().jdk()));
    if (outcome.report() == null) {
      page.line(outcome.failure() == null ? "not there" : outcome.failure());
      return;
    }
    table("phase");
    outcome.report().phases().forEach(phase -> figures(phase.phase(), phase));
    figures(Figures.WHOLE, outcome.report().whole());
  }

  /** The runs of a JDK, a row for each set of flags. */
  void flags(Jdk jdk, List<Outcome> outcomes) {
    page.title("%s, by flags".formatted(jdk));
    table("flags");
    for (Outcome outcome : outcomes) {
      String flags = outcome.run().flags().flags().isEmpty() ? "default" : code(outcome.run());
      if (outcome.report() != null) {
        figures(flags, outcome.report().whole());
      } else {
        page.row(
            flags,
            outcome.failure() == null ? "not there" : outcome.failure(),
            "",
            "",
            "",
            "",
            "",
            "",
            "");
      }
    }
  }

  private void table(String first) {
    page.table(
        first,
        ">samples",
        ">complete",
        ">marked",
        ">link pairs",
        ">bad",
        ">ns per frame",
        ">interval reached",
        "stacks that end early, lost samples");
  }

  private static String code(Run run) {
    return "`" + run.flags() + "`";
  }

  /** Every bad pair and every early end, the most frequent first. */
  void details(List<Outcome> outcomes) {
    Map<String, Long> bad = new TreeMap<>();
    Map<String, Long> incomplete = new TreeMap<>();
    for (Outcome outcome : outcomes) {
      if (outcome.report() != null) {
        String where = "%s, %s: ".formatted(outcome.run().jdk(), outcome.run().flags());
        outcome.report().badPairs().forEach((pair, count) -> bad.put(where + pair, count));
        outcome.report().incomplete().forEach((end, count) -> incomplete.put(where + end, count));
      }
    }
    lines("Bad pairs", bad, Integer.MAX_VALUE);
    lines("Stacks that end early, the outermost frame first", incomplete, MAX_LINES);
  }

  private void lines(String title, Map<String, Long> counts, int most) {
    page.title(title);
    if (counts.isEmpty()) {
      page.line("None.");
      return;
    }
    List<String> items = new ArrayList<>();
    counts.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(most)
        .forEach(line -> items.add("%d × `%s`".formatted(line.getValue(), line.getKey())));
    if (counts.size() > most) {
      items.add("and %d more kinds".formatted(counts.size() - most));
    }
    page.items(items);
  }

  private void figures(String name, Figures figures) {
    page.row(
        name,
        "%,d".formatted(figures.owed()),
        "%.3f %%".formatted(100 * figures.share()),
        "%.3f %%".formatted(100 * figures.markedShare()),
        "%,d".formatted(figures.pairs()),
        "%,d".formatted(figures.bad()),
        "%.0f".formatted(figures.nanosPerFrame()),
        "%.2f ms".formatted(figures.intervalNanos() / 1e6),
        early(figures));
  }

  static String early(Figures figures) {
    Map<String, Long> early = new TreeMap<>(figures.early());
    early.put("lost", figures.lost());
    early.put("dropped", figures.dropped());
    early.put("undecodable", figures.undecodable());
    return early.entrySet().stream()
        .filter(end -> end.getValue() > 0)
        .map(end -> end.getKey() + " " + end.getValue())
        .collect(Collectors.joining(", "));
  }

  static {
    Locale.setDefault(Locale.ROOT);
  }
}
