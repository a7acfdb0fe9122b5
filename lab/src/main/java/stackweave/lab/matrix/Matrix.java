package stackweave.lab.matrix;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
import stackweave.lab.matrix.Run.Outcome;
import stackweave.lab.matrix.Run.Settings;
import stackweave.lab.phases.Phases;
import stackweave.testing.Jdk;
import stackweave.testing.Markdown;

/** Runs the matrix and prints its tables; the command {@code lab/matrix}. */
@Command(
    name = "matrix",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs the agent over all phases, on every JDK and under every set of flags, and says which"
          + " stacks are complete, which callers are true, and what that costs.",
      "In lab/target/matrix each run leaves what it printed; check.out has the odd stacks."
    })
public final class Matrix implements Callable<Integer> {
  @Mixin private final Report report = new Report();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "of each phase with default flags; default: ${DEFAULT-VALUE}")
  private double seconds = 3;

  @Option(
      names = "--flag-seconds",
      paramLabel = "N",
      description = "of each phase with other flags; default: ${DEFAULT-VALUE}")
  private double flagSeconds = 1;

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      description = "of CPU time from sample to sample; default: ${DEFAULT-VALUE}")
  private String interval = "1ms";

  @Option(
      names = "--agent",
      paramLabel = "OPTIONS",
      description = "further options of the agent, such as engine=timer")
  private String agentOptions = "";

  @Option(
      names = "--flags",
      paramLabel = "FLAGS",
      description =
          "these flags, not all sets; may stand more than once; the word default for none")
  private List<String> flags = List.of();

  @Option(
      names = "--phases",
      split = ",",
      paramLabel = "A,B,...",
      description = "these phases, not all")
  private List<String> phases = List.of();

  @Option(
      names = "--outside",
      description = "the JVMs have no agent, and are sampled by the command record")
  private boolean outside;

  @Option(names = "--keep", description = "leaves the recordings in lab/target/matrix")
  private boolean keep;

  @Spec private CommandSpec command;

  private Matrix() {}

  /** The agent and the samples as they were built. */
  private static Settings settings(
      String interval, String agentOptions, List<String> phases, boolean outside) {
    return new Settings(
        Built.agentJar(),
        Built.classPath(),
        Built.target().resolve("matrix"),
        interval,
        agentOptions.isEmpty() ? "" : "," + agentOptions,
        String.join(",", phases),
        outside);
  }

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Matrix()).execute(arguments));
  }

  /** Ends with 0 if every possible run gave a report. */
  @Override
  public Integer call() throws IOException, InterruptedException {
    for (String phase : phases) {
      if (!Phases.names().contains(phase)) {
        throw new ParameterException(
            command.commandLine(),
            "no phase %s; there are %s".formatted(phase, String.join(",", Phases.names())));
      }
    }
    Settings settings = settings(interval, agentOptions, phases, outside);
    List<FlagSet> sets = flags.isEmpty() ? FlagSet.all() : flags.stream().map(FlagSet::of).toList();
    Map<Jdk, List<Outcome>> outcomes = new LinkedHashMap<>();
    for (Jdk jdk : report.jdks()) {
      List<Outcome> ofJdk = new ArrayList<>();
      outcomes.put(jdk, ofJdk);
      for (FlagSet set : sets) {
        double time = set.flags().isEmpty() ? seconds : flagSeconds;
        String name = jdk.feature() + "-" + set.toString().replaceAll("[^A-Za-z0-9+-]+", "");
        name += outside ? "-outside" : agentOptions.replaceAll("[^A-Za-z0-9]+", "-");
        ofJdk.add(say(new Run(jdk, set, settings, time).execute(name, keep)));
      }
    }
    report.write(facts(settings), tables(outcomes));
    return outcomes.values().stream()
            .flatMap(List::stream)
            .allMatch(outcome -> outcome.failure() == null)
        ? 0
        : 1;
  }

  /**
   * The figures of one run, for tests.
   *
   * @param failure why there is no report, empty for none; all else is then 0
   * @param kept samples that were not lost
   * @param complete those of them that are complete
   * @param recorded those of the file
   * @param marked those of the file in which a frame stands for others that are not known
   * @param lost share of those that were lost, for the machine was too busy to drain them in time
   * @param pairs of adjacent Java frames that were checked
   * @param bad those of which the caller does not call the callee
   * @param details of the bad pairs and the stacks that end early
   */
  public record Summary(
      String failure,
      long kept,
      long complete,
      long recorded,
      long marked,
      double lost,
      long pairs,
      long bad,
      String details) {}

  /** Runs some phases on a JDK with default flags. */
  public static Summary shortRun(Jdk jdk, List<String> phases, double seconds)
      throws IOException, InterruptedException {
    Settings settings = settings("1ms", "", phases, false);
    Outcome outcome =
        new Run(jdk, FlagSet.DEFAULT, settings, seconds).execute("short-" + jdk.feature(), true);
    if (outcome.report() == null) {
      return new Summary(outcome.failure(), 0, 0, 0, 0, 0, 0, 0, "");
    }
    Figures whole = outcome.report().whole();
    Markdown details = new Markdown();
    Tables tables = new Tables(details);
    tables.phases(outcome);
    tables.details(List.of(outcome));
    return new Summary(
        "",
        Math.max(whole.recorded(), whole.owed() - whole.lost()),
        whole.complete(),
        whole.recorded(),
        whole.marked(),
        (double) whole.lost() / Math.max(1, whole.owed()),
        whole.pairs(),
        whole.bad(),
        details.toString());
  }

  /** A line on the terminal for each run. */
  private static Outcome say(Outcome outcome) {
    String what = "%s, %s: ".formatted(outcome.run().jdk(), outcome.run().flags());
    if (outcome.report() == null) {
      System.out.println(what + (outcome.failure() == null ? "not there" : outcome.failure()));
      return outcome;
    }
    Figures whole = outcome.report().whole();
    System.out.printf(
        "%s%d samples, %.3f %% complete, %.3f %% marked, %d pairs, %d bad, %.0f ns per frame%n",
        what,
        whole.owed(),
        100 * whole.share(),
        100 * whole.markedShare(),
        whole.pairs(),
        whole.bad(),
        whole.nanosPerFrame());
    return outcome;
  }

  private Map<String, String> facts(Settings settings) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        "seconds per phase",
        "%s with default flags, %s with others".formatted(seconds, flagSeconds));
    facts.put("interval asked for", interval + " of CPU time of each thread");
    facts.put("sampled", outside ? "from outside" : "from inside" + settings.agentOptions());
    facts.put("frames of a stack at most", outside ? "default" : Integer.toString(Run.DEPTH));
    facts.put("other options of the JVMs", String.join(" ", settings.jvmOptions()));
    return facts;
  }

  private static Markdown tables(Map<Jdk, List<Outcome>> outcomes) {
    Markdown text = new Markdown();
    Tables tables = new Tables(text);
    outcomes.forEach(
        (jdk, ofJdk) -> {
          ofJdk.stream()
              .filter(outcome -> outcome.run().flags().flags().isEmpty())
              .forEach(tables::phases);
          tables.flags(jdk, ofJdk);
        });
    tables.details(outcomes.values().stream().flatMap(List::stream).toList());
    return text;
  }
}
