package stackweave.lab.zoo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import stackweave.lab.zoo.Stack.Outcome;
import stackweave.lab.zoo.ZooRun.Result;
import stackweave.testing.Markdown;

/** The results in tables. */
final class Tables {
  /** Of the lines about one run. */
  private static final int MAX_LINES = 3;

  private final Markdown page;

  Tables(Markdown page) {
    this.page = page;
  }

  /** The agent's stacks and async-profiler's of one JDK and engine. */
  void stacks(String title, List<Result> results) {
    page.title(title);
    page.table(
        "category",
        ">samples",
        ">complete",
        ">with marked guesses",
        ">with a gap",
        "stacks that end early, lost samples",
        "lowest thread",
        ">chain false, not marked",
        ">chain false, marked",
        ">with JNI function",
        ">ns per frame");
    results.forEach(this::own);
    page.title(title + ": async-profiler beside");
    page.table(
        "category",
        ">samples",
        ">with the thread's start",
        ">chain false",
        ">with JNI function",
        "what is false");
    results.forEach(this::async);
  }

  private void own(Result result) {
    if (result.failure() != null) {
      page.row(
          result.run().category().label(), result.failure(), "", "", "", "", "", "", "", "", "");
      return;
    }
    Tally own = result.own();
    page.row(
        result.run().category().label(),
        "%,d".formatted(own.samples),
        share(own.of(Outcome.COMPLETE), own.samples),
        share(own.of(Outcome.GUESSED), own.samples),
        share(own.of(Outcome.GAP), own.samples),
        early(result),
        own.lowestThread(),
        "" + own.falseOf(Outcome.COMPLETE),
        "" + own.falseOf(Outcome.GUESSED),
        withJniFunction(own),
        "%.0f"
            .formatted(
                (double) result.recording().sum("unwindTime")
                    / Math.max(1, result.recording().sum("frames"))));
  }

  private void async(Result result) {
    if (result.failure() == null) {
      Tally async = result.async();
      page.row(
          result.run().category().label(),
          "%,d".formatted(async.samples),
          share(async.of(Outcome.COMPLETE), async.samples),
          share(async.falseOf(Outcome.COMPLETE), async.samples),
          withJniFunction(async),
          most(async.faults));
    }
  }

  private static String withJniFunction(Tally tally) {
    long judged = tally.inNativeMethods - tally.excused;
    return judged == 0 ? "–" : share(tally.withJniFunction, judged);
  }

  private static String share(long part, long all) {
    return all == 0 ? "–" : String.format(Locale.ROOT, "%.2f %%", 100.0 * part / all);
  }

  private static String early(Result result) {
    Map<String, Long> early = new TreeMap<>(result.own().ends);
    for (String loss : List.of("lost", "dropped", "undecodable")) {
      early.put(loss + " in the process", result.recording().sum(loss));
    }
    return early.entrySet().stream()
        .filter(end -> end.getValue() > 0)
        .map(end -> end.getKey() + " " + end.getValue())
        .collect(Collectors.joining(", "));
  }

  /** The most frequent fault without its example. */
  private static String most(Map<String, Long> faults) {
    return faults.entrySet().stream()
        .collect(
            Collectors.groupingBy(
                fault -> fault.getKey().replaceFirst(", as in .*", ""),
                Collectors.summingLong(Map.Entry::getValue)))
        .entrySet()
        .stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(2)
        .map(fault -> "%s %d".formatted(fault.getKey(), fault.getValue()))
        .collect(Collectors.joining(", "));
  }

  /** Stacks compared with the returns that followed. */
  void truth(List<TruthRun.Result> results) {
    page.title("Return addresses by single-stepping");
    page.table(
        "category",
        ">JDK",
        "stacks of",
        ">judged",
        ">right up to Java",
        ">cut short, right so far",
        ">a wrong frame, not marked",
        ">a wrong frame, marked",
        ">callers of interrupted frames: right",
        ">wrong",
        ">callers further out: right",
        ">wrong");
    for (TruthRun.Result result : results) {
      if (result.failure() != null) {
        page.row(
            result.run().category().label(),
            "" + result.run().jdk().feature(),
            result.failure(),
            "",
            "",
            "",
            "",
            "",
            "",
            "",
            "",
            "");
      } else {
        truth(result.run(), "the agent", result.own());
        truth(result.run(), "async-profiler", result.async());
      }
    }
    page.title("The agent's frames by how they were found");
    page.table("category", ">JDK", "way", ">right", ">wrong");
    for (TruthRun.Result result : results) {
      if (result.failure() == null) {
        result
            .own()
            .ways
            .forEach(
                (way, count) ->
                    page.row(
                        result.run().category().label(),
                        "" + result.run().jdk().feature(),
                        way,
                        "" + count.right,
                        "" + count.wrong));
      }
    }
    List<String> wrong = new ArrayList<>();
    for (TruthRun.Result result : results) {
      if (result.failure() == null) {
        Map<String, Long> counts =
            result.own().wrong.stream()
                .collect(Collectors.groupingBy(line -> line, Collectors.counting()));
        lines(result.run(), counts, wrong);
      }
    }
    page.title("The agent's wrong frames");
    items(wrong);
  }

  private void truth(ZooRun run, String whose, TruthJudge judge) {
    TruthJudge.Count leaves = judge.sum(true);
    TruthJudge.Count others = judge.sum(false);
    page.row(
        run.category().label(),
        "" + run.jdk().feature(),
        whose,
        "" + judge.stacks,
        share(judge.whole, judge.stacks),
        share(judge.cut, judge.stacks),
        share(judge.unmarked, judge.stacks),
        share(judge.wrongStacks - judge.unmarked, judge.stacks),
        "" + leaves.right,
        "" + leaves.wrong,
        "" + others.right,
        "" + others.wrong);
  }

  /** What is false in the agent's stacks, and where they end early. */
  void details(List<Result> results) {
    List<String> faults = new ArrayList<>();
    List<String> early = new ArrayList<>();
    for (Result result : results) {
      if (result.failure() == null) {
        lines(result.run(), result.own().faults, faults);
        lines(result.run(), result.own().early, early);
      }
    }
    ways(results);
    page.title("Chains that are false");
    items(faults);
    page.title("Stacks that end early, the innermost frames first");
    items(early);
  }

  /** Frames that were found otherwise than by unwind tables. */
  private void ways(List<Result> results) {
    page.title("Frames in code without tables by how they were found");
    page.table("category", ">JDK", "engine", "way", ">frames", ">of the native ones");
    for (Result result : results) {
      if (result.failure() == null) {
        long all = result.own().found.values().stream().mapToLong(count -> count).sum();
        result
            .own()
            .found
            .forEach(
                (way, count) -> {
                  if (!way.equals(Found.TABLES.label())) {
                    page.row(
                        result.run().category().label(),
                        "" + result.run().jdk().feature(),
                        result.run().engine(),
                        way,
                        "%,d".formatted(count),
                        share(count, all));
                  }
                });
      }
    }
  }

  /** The most frequent ones. */
  private static void lines(ZooRun run, Map<String, Long> counts, List<String> lines) {
    counts.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(MAX_LINES)
        .forEach(
            line ->
                lines.add(
                    "%d × %s, JDK %d, %s: `%s`"
                        .formatted(
                            line.getValue(),
                            run.category().label(),
                            run.jdk().feature(),
                            run.engine(),
                            line.getKey())));
  }

  private void items(List<String> lines) {
    if (lines.isEmpty()) {
      page.line("None.");
    } else {
      page.items(lines);
    }
  }

  static {
    Locale.setDefault(Locale.ROOT);
  }
}
