package stackweave.lab.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import stackweave.lab.Built;
import stackweave.lab.Report;
import stackweave.lab.chaos.ForkedRun.Settings;
import stackweave.lab.chaos.antagonist.Antagonist;
import stackweave.lab.chaos.antagonist.Antagonists;
import stackweave.testing.Jdk;
import stackweave.testing.Markdown;

/**
 * Runs the antagonists and prints tables. The command of {@code lab/chaos}; tests call {@link
 * #shortRun}.
 */
@Command(
    name = "chaos",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs the agent beside all that hurts a profiler: a JVM for each antagonist, JDK and engine,"
          + " in which work with known results goes on meanwhile.",
      "A crash, a hang, or a wrong result fails. What each run left is in" + " lab/target/chaos."
    })
public final class Chaos implements Callable<Integer> {
  @Mixin private final Report report = new Report();

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "Of each antagonist on each JDK under each engine. Default: 1.")
  private double minutes = 1;

  @Option(
      names = "--total",
      paramLabel = "N",
      description = "Minutes that all runs take together, instead of --minutes for each.")
  private double total;

  @Option(
      names = "--cycles",
      paramLabel = "N",
      description =
          "Recordings that the antagonist 'recordings' makes, however long it takes."
              + " Default: 1000.")
  private int cycles = 1_000;

  @Option(
      names = "--only",
      paramLabel = "A,B+C,...",
      split = ",",
      description =
          "These antagonists, not all; those with + between them run together in one JVM.")
  private List<String> only = new ArrayList<>();

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      description =
          "perf, timer, perf-thread, perf-user, auto; outside: by the command record, without the"
              + " agent; or none: not sampled, to see whether the agent is to blame. May stand more"
              + " than once. Default: perf and timer.")
  private List<String> engines = new ArrayList<>();

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      description = "CPU time between two samples. Default: 1ms.")
  private String interval = "1ms";

  @Option(
      names = "--hang",
      paramLabel = "SECONDS",
      description = "Without a result of one of its threads a JVM hangs. Default: 60.")
  private int hangSeconds = 60;

  @Spec private CommandSpec spec;

  /** For tests: on a machine that others keep busy as well a result may take its time. */
  private static final int SHORT_HANG_SECONDS = 300;

  private Chaos() {}

  /** Ends with 0 if all went as it must, 1 if a run failed, 2 for a wrong command line. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Chaos()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    long begin = System.nanoTime();
    List<String> with = engines.isEmpty() ? List.of("perf", "timer") : engines;
    List<ForkedRun> runs = runs(report.jdks(), with);
    List<Outcome> outcomes = new ArrayList<>();
    for (ForkedRun planned : runs) {
      double left = 60 * total - (System.nanoTime() - begin) / 1e9;
      ForkedRun run = total == 0 ? planned : planned.taking(left / (runs.size() - outcomes.size()));
      if (outcomes.stream().noneMatch(outcome -> outcome.run().jdk().equals(run.jdk()))) {
        run.writeResults();
      }
      Outcome outcome = run.execute();
      System.out.println(outcome.line());
      outcomes.add(outcome);
    }
    Markdown text = new Markdown();
    Tables tables = new Tables(text);
    tables.antagonists(mixes());
    tables.runs(outcomes);
    tables.remarks(outcomes);
    report.write(facts(), text);
    return outcomes.stream().allMatch(outcome -> outcome.failure() == null) ? 0 : 1;
  }

  private List<ForkedRun> runs(List<Jdk> on, List<String> with) {
    Settings settings = settings(60 * minutes, cycles, interval, hangSeconds);
    List<ForkedRun> runs = new ArrayList<>();
    for (String mix : mixes()) {
      for (Jdk jdk : on) {
        for (String engine : with) {
          if (isFor(mix, jdk, engine)) {
            runs.add(new ForkedRun(mix, jdk, engine, settings));
          }
        }
      }
    }
    return runs;
  }

  /**
   * A short run for tests.
   *
   * @return a line on the run, and why it failed, or an empty text
   */
  public static List<String> shortRun(String mix, Jdk jdk, String engine, double seconds)
      throws IOException, InterruptedException {
    ForkedRun run =
        new ForkedRun(mix, jdk, engine, settings(seconds, 10, "1ms", SHORT_HANG_SECONDS));
    run.writeResults();
    Outcome outcome = run.execute();
    return List.of(outcome.line(), outcome.failure() == null ? "" : outcome.failure());
  }

  /** The agent and the samples as they were built. */
  private static Settings settings(double seconds, int cycles, String interval, int hangSeconds) {
    return new Settings(
        Built.agentJar(),
        Built.classPath(),
        Built.target().resolve("chaos"),
        seconds,
        cycles,
        interval,
        hangSeconds);
  }

  private Set<String> mixes() {
    Set<String> mixes = new LinkedHashSet<>(only.isEmpty() ? Antagonists.names() : only);
    try {
      mixes.forEach(Antagonists::mix);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage());
    }
    return mixes;
  }

  private static boolean isFor(String mix, Jdk jdk, String engine) {
    return Antagonists.mix(mix).values().stream()
        .allMatch(
            each ->
                each.isFor(jdk.feature())
                    && each.isFor(engine)
                    && !(engine.equals(ForkedRun.OUTSIDE) && isOfAgent(each)));
  }

  /** Whether it needs the agent in its JVM. */
  private static boolean isOfAgent(Antagonist antagonist) {
    return antagonist.records() || !antagonist.agentOptions(Path.of("")).isEmpty();
  }

  private Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        "minutes asked for",
        total == 0 ? "%s of each run".formatted(minutes) : "%s of all runs".formatted(total));
    facts.put("interval asked for", interval + " of CPU time of each thread");
    return facts;
  }
}
