package stackweave.lab.zoo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.lab.Built;
import stackweave.lab.Report;
import stackweave.lab.zoo.Stack.Outcome;
import stackweave.lab.zoo.ZooRun.Result;
import stackweave.testing.Jdk;
import stackweave.testing.Markdown;

/** Samples the zoo, judges the stacks, and writes tables. */
@Command(
    name = "zoo",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Samples native libraries whose code is hard to unwind, judges the stacks by the call chains",
      "that are known, and async-profiler's beside, and writes tables."
    })
public final class Zoo implements Callable<Integer> {
  @Mixin private final Report report = new Report();

  @Option(names = "--engine", description = "perf or timer; default: both")
  private List<String> engines = List.of("perf", "timer");

  @Option(
      names = "--category",
      description = "one of ${COMPLETION-CANDIDATES}; several are allowed; default: all")
  private List<Category> categories = List.of(Category.values());

  @Option(names = "--seconds", description = "of work of each run; default: ${DEFAULT-VALUE}")
  private double seconds = 10;

  @Option(
      names = "--truth",
      description = {
        "also single-steps this many samples of each category to their returns (as root),",
        "and compares; default: ${DEFAULT-VALUE}"
      })
  private int truth = 0;

  @Option(names = "--truth-only", description = "leaves out all but that")
  private boolean truthOnly;

  @Option(names = "--agent", description = "another build's stackweave-agent.jar")
  private Path agent = Built.agentJar();

  public static void main(String[] arguments) {
    CommandLine line = new CommandLine(new Zoo()).setCaseInsensitiveEnumValuesAllowed(true);
    System.exit(line.execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path directory = Files.createDirectories(Built.target().resolve("zoo"));
    Markdown text = new Markdown();
    boolean complete = truthOnly || sample(directory, text);
    if (truth > 0) {
      complete &= compare(directory, text);
    }
    report.write(facts(), text);
    return complete ? 0 : 1;
  }

  /** Samples and judges by chains; whether all runs gave a result. */
  private boolean sample(Path directory, Markdown text) throws IOException, InterruptedException {
    JniFunctions functions = new JniFunctions(ZooRun.libraries(), directory.resolve("libraries"));
    Tables writer = new Tables(text);
    List<Result> all = new ArrayList<>();
    for (Jdk jdk : report.jdks()) {
      for (String engine : engines) {
        List<Result> results = new ArrayList<>();
        for (Category category : categoriesOn(jdk)) {
          ZooRun run = new ZooRun(jdk, category, engine, seconds, agent);
          results.add(say(run.execute(directory, functions)));
        }
        writer.stacks("JDK %d, %s".formatted(jdk.feature(), engine), results);
        all.addAll(results);
      }
    }
    writer.details(all);
    return all.stream().allMatch(result -> result.failure() == null);
  }

  /** Compares with what threads returned to; whether all runs gave a result. */
  private boolean compare(Path directory, Markdown text) throws IOException, InterruptedException {
    List<TruthRun.Result> results = new ArrayList<>();
    for (Jdk jdk : report.jdks()) {
      for (Category category : categoriesOn(jdk)) {
        ZooRun run = new ZooRun(jdk, category, "timer", seconds, agent);
        results.add(say(new TruthRun(run, truth, directory).execute()));
      }
    }
    new Tables(text).truth(results);
    return results.stream().allMatch(result -> result.failure() == null);
  }

  private List<Category> categoriesOn(Jdk jdk) {
    return categories.stream().filter(category -> category.isOn(jdk.feature())).toList();
  }

  /** A line on the terminal for each run. */
  private static Result say(Result result) {
    String what =
        "JDK %d, %s, %s: "
            .formatted(
                result.run().jdk().feature(),
                result.run().engine(),
                result.run().category().label());
    if (result.failure() != null) {
      System.err.println(what + result.failure());
      return result;
    }
    Tally own = result.own();
    System.err.printf(
        Locale.ROOT,
        "%s%,d samples, %.2f %% complete, %.2f %% with guesses, %d false, ends %s%n",
        what,
        own.samples,
        100.0 * own.of(Outcome.COMPLETE) / Math.max(1, own.samples),
        100.0 * own.of(Outcome.GUESSED) / Math.max(1, own.samples),
        own.falseOf(Outcome.COMPLETE) + own.falseOf(Outcome.GUESSED),
        own.ends);
    return result;
  }

  private static TruthRun.Result say(TruthRun.Result result) {
    String what =
        "JDK %d, truth, %s: "
            .formatted(result.run().jdk().feature(), result.run().category().label());
    if (result.failure() != null) {
      System.err.println(what + result.failure());
      return result;
    }
    System.err.printf(
        Locale.ROOT,
        "%s%d stacks, %d with a wrong frame; async-profiler: %d, %d%n",
        what,
        result.own().stacks,
        result.own().wrongStacks,
        result.async().stacks,
        result.async().wrongStacks);
    return result;
  }

  private Map<String, String> facts() {
    return Map.of(
        "seconds of each run",
        "" + seconds,
        "interval asked for",
        "1 ms of CPU time of each thread");
  }
}
