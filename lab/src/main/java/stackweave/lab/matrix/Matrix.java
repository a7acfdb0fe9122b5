package stackweave.lab.matrix;

import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import stackweave.lab.Built;
import stackweave.lab.matrix.Run.Outcome;
import stackweave.lab.matrix.Run.Settings;
import stackweave.testing.Jdk;
import stackweave.testing.Machine;
import stackweave.testing.Markdown;

/**
 * Runs the matrix and writes its tables below the marker of a page; {@code lab/matrix} has the
 * options.
 */
public final class Matrix {
  /**
   * The tables replace all that follows this line of the page; what is above it is written by hand.
   */
  private static final String MARKER = "<!-- written by lab/matrix from here on -->";

  private final Options options;
  private final Settings settings;

  private Matrix(Options options) {
    this.options = options;
    this.settings = settings(options.interval, String.join(",", options.phases));
  }

  /** The agent and the samples as they were built. */
  static Settings settings(String interval, String phases) {
    Path directory = Built.target().resolve("matrix");
    return new Settings(Built.agentJar(), Built.classPath(), directory, interval, phases);
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    Options options;
    try {
      options = Options.parse(args);
    } catch (IllegalArgumentException e) {
      System.err.println("matrix: " + e.getMessage());
      System.exit(2);
      return;
    }
    boolean ran = new Matrix(options).run();
    System.exit(ran ? 0 : 1);
  }

  /** Whether every possible run gave a report. */
  private boolean run() throws IOException, InterruptedException {
    long begin = System.nanoTime();
    String loadBefore = Machine.load();
    Map<Jdk, List<Outcome>> outcomes = new LinkedHashMap<>();
    for (Jdk jdk : options.jdks) {
      List<Outcome> ofJdk = new ArrayList<>();
      outcomes.put(jdk, ofJdk);
      for (FlagSet flags : options.flags) {
        double seconds = flags.flags().isEmpty() ? options.seconds : options.flagSeconds;
        String name = jdk.feature() + "-" + flags.toString().replaceAll("[^A-Za-z0-9+-]+", "");
        ofJdk.add(say(new Run(jdk, flags, settings, seconds).execute(name, options.keep)));
      }
    }
    long seconds = (System.nanoTime() - begin) / 1_000_000_000;
    Markdown page = page(outcomes, facts(loadBefore, Machine.load(), seconds));
    if (options.out == null) {
      System.out.println(page);
    } else {
      page.writeInto(options.out, MARKER, null);
    }
    return outcomes.values().stream()
        .flatMap(List::stream)
        .allMatch(outcome -> outcome.failure() == null);
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
    Settings settings = settings("1ms", String.join(",", phases));
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

  private Map<String, String> facts(String loadBefore, String loadAfter, long seconds)
      throws IOException {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("date", LocalDate.now(ZoneOffset.UTC).toString());
    facts.put("machine", Machine.description());
    facts.put("JDKs", options.jdks.stream().map(Jdk::version).collect(Collectors.joining(", ")));
    facts.put(
        "seconds per phase",
        "%s with default flags, %s with others".formatted(options.seconds, options.flagSeconds));
    facts.put("interval asked for", options.interval + " of CPU time of each thread");
    facts.put("frames of a stack at most", Integer.toString(Run.DEPTH));
    facts.put("other options of the JVMs", String.join(" ", settings.jvmOptions()));
    facts.put("load of the machine before and after", loadBefore + ", " + loadAfter);
    facts.put("the whole run took", "%d min %d s".formatted(seconds / 60, seconds % 60));
    return facts;
  }

  private static Markdown page(Map<Jdk, List<Outcome>> outcomes, Map<String, String> facts) {
    Markdown page = new Markdown();
    page.facts(facts);
    Tables tables = new Tables(page);
    outcomes.forEach(
        (jdk, ofJdk) -> {
          ofJdk.stream()
              .filter(outcome -> outcome.run().flags().flags().isEmpty())
              .forEach(tables::phases);
          tables.flags(jdk, ofJdk);
        });
    tables.details(outcomes.values().stream().flatMap(List::stream).toList());
    return page;
  }

  /** The command line. */
  private static final class Options {
    private final List<Jdk> jdks = new ArrayList<>();
    private final List<FlagSet> flags = new ArrayList<>();
    private final List<String> phases = new ArrayList<>();
    private double seconds = 3;
    private double flagSeconds = 1;
    private String interval = "1ms";
    private Path out;
    private boolean keep;

    static Options parse(String[] args) {
      Options options = new Options();
      for (int i = 0; i < args.length; i++) {
        if (args[i].equals("--keep")) {
          options.keep = true;
        } else if (i + 1 == args.length) {
          throw new IllegalArgumentException(args[i] + " is no option, or lacks its value");
        } else {
          options.set(args[i], args[++i]);
        }
      }
      if (options.jdks.isEmpty()) {
        options.jdks.addAll(Jdk.all());
      }
      if (options.flags.isEmpty()) {
        options.flags.addAll(FlagSet.all());
      }
      return options;
    }

    private void set(String option, String value) {
      switch (option) {
        case "--seconds" -> seconds = seconds(value);
        case "--flag-seconds" -> flagSeconds = seconds(value);
        case "--interval" -> interval = value;
        case "--jdk" -> jdks.add(jdk(value));
        case "--flags" -> flags.add(FlagSet.of(value));
        case "--phases" -> phases.addAll(phases(value));
        case "--out" -> out = Path.of(value);
        default -> throw new IllegalArgumentException(option + " is no option");
      }
    }

    private static double seconds(String value) {
      if (!value.matches("[0-9]{1,3}(\\.[0-9]+)?")) {
        throw new IllegalArgumentException(value + " is no number of seconds below 1000");
      }
      return Double.parseDouble(value);
    }

    private static Jdk jdk(String value) {
      return Jdk.in(Path.of(value));
    }

    private static List<String> phases(String value) {
      List<String> wanted = List.of(value.split(","));
      for (String phase : wanted) {
        if (!stackweave.lab.phases.Phases.names().contains(phase)) {
          throw new IllegalArgumentException(
              "no phase %s; there are %s"
                  .formatted(phase, String.join(",", stackweave.lab.phases.Phases.names())));
        }
      }
      return wanted;
    }
  }
}
