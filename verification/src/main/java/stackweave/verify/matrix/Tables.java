package stackweave.verify.matrix;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import stackweave.testing.Jdk;
import stackweave.verify.matrix.Run.Outcome;

/** The outcomes in Markdown. */
final class Tables {
  private static final String COLUMNS =
      " | samples | complete | marked | link pairs | bad | ns per frame | interval reached | stacks"
          + " that end early, lost samples |\n|---|--:|--:|--:|--:|--:|--:|--:|---|\n";
  private static final int MAX_LINES = 25;

  private final StringBuilder text = new StringBuilder();

  /** A table of two columns. */
  void facts(Map<String, String> facts) {
    text.append("\n| | |\n|---|---|\n");
    facts.forEach((what, value) -> row(what, value));
  }

  /** The phases of a run. */
  void phases(Outcome outcome) {
    title("%s, by phase".formatted(outcome.run().jdk()));
    if (outcome.report() == null) {
      text.append(outcome.failure() == null ? "not there" : outcome.failure()).append('\n');
      return;
    }
    text.append("| phase").append(COLUMNS);
    outcome.report().phases().forEach(phase -> figures(phase.phase(), phase));
    figures(Figures.WHOLE, outcome.report().whole());
  }

  /** The runs of a JDK, a row for each set of flags. */
  void flags(Jdk jdk, List<Outcome> outcomes) {
    title("%s, by flags".formatted(jdk));
    text.append("| flags").append(COLUMNS);
    for (Outcome outcome : outcomes) {
      String flags = outcome.run().flags().flags().isEmpty() ? "default" : code(outcome.run());
      if (outcome.report() != null) {
        figures(flags, outcome.report().whole());
      } else {
        row(
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
    title(title);
    if (counts.isEmpty()) {
      text.append("None.\n");
      return;
    }
    counts.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(most)
        .forEach(line -> text.append("- %d × `%s`\n".formatted(line.getValue(), line.getKey())));
    if (counts.size() > most) {
      text.append("- and %d more sorts\n".formatted(counts.size() - most));
    }
  }

  private void title(String title) {
    text.append("\n### ").append(title).append("\n\n");
  }

  private void figures(String name, Figures figures) {
    row(
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

  private static String early(Figures figures) {
    Map<String, Long> early = new TreeMap<>(figures.early());
    early.put("lost", figures.lost());
    early.put("dropped", figures.dropped());
    early.put("undecodable", figures.undecodable());
    return early.entrySet().stream()
        .filter(end -> end.getValue() > 0)
        .map(end -> end.getKey() + " " + end.getValue())
        .collect(Collectors.joining(", "));
  }

  private void row(String... cells) {
    text.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }

  @Override
  public String toString() {
    return text.toString();
  }

  static {
    Locale.setDefault(Locale.ROOT);
  }
}
