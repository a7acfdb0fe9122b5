package stackweave.lab.overhead;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;
import stackweave.lab.Built;
import stackweave.lab.overhead.MeasuredJvm.Plan;
import stackweave.testing.Jdk;
import stackweave.testing.Machine;
import stackweave.testing.Markdown;

/** Measures what sampling costs, and writes the tables of {@code docs/performance.md}. */
@Command(
    name = "overhead",
    customSynopsis = "lab/overhead [OPTION...]",
    description = {
      "Measures what sampling costs the application, beside async-profiler at the same rate, and"
          + " writes the figures into docs/performance.md.",
      "A JVM for each JDK and rate; in it, windows in turns dormant, sampled by the agent, and"
          + " sampled by async-profiler. Then what the agent adds to a start, and memory."
    })
final class Overhead implements Callable<Integer> {
  private static final String BEGIN = "<!-- written by lab/overhead from here on -->";
  private static final String END = "<!-- to here -->";
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  /**
   * Column in the first line of {@code /proc/stat}: {@code cpu user nice system idle iowait irq}.
   */
  private static final int IRQ_COLUMN = 6;

  private static final List<WindowKind> FOOTPRINTS =
      List.of(
          WindowKind.ABSENT,
          WindowKind.DORMANT,
          WindowKind.STACKWEAVE,
          WindowKind.ASYNC,
          WindowKind.ASYNC_VMX);

  @Spec private CommandSpec line;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help message and exit.")
  private boolean help;

  @Option(
      names = "--jdk",
      paramLabel = "DIRECTORY",
      description = "This JDK, not those found; may stand more than once.")
  private List<Path> homes = List.of();

  @Option(
      names = "--hz",
      paramLabel = "N",
      split = ",",
      description = "Samples per second of CPU time. Default: 100,1000.")
  private List<Integer> rates = List.of(100, 1000);

  @Option(
      names = "--windows",
      paramLabel = "N",
      description = "Windows of each kind. Default: ${DEFAULT-VALUE}.")
  private int blocks = 20;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Length of a window. Default: ${DEFAULT-VALUE}.")
  private double seconds = 1;

  @Option(
      names = "--kinds",
      paramLabel = "KIND",
      split = ",",
      converter = KindOfLabel.class,
      description =
          "Kinds of windows beside dormant: stackweave, async, async-vmx, jfr, absent, burn."
              + " Default: all but burn; absent at the first rate only.")
  private List<WindowKind> kinds =
      List.of(
          WindowKind.STACKWEAVE,
          WindowKind.ASYNC,
          WindowKind.ASYNC_VMX,
          WindowKind.JFR,
          WindowKind.ABSENT);

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      description =
          "The agent's engine; with timer, async-profiler samples by CPU timers too."
              + " Default: ${DEFAULT-VALUE}.")
  private String engine = "auto";

  @Option(
      names = "--launches",
      paramLabel = "N",
      description =
          "JVMs that are started for the cost of a start; 0: none. Default: ${DEFAULT-VALUE}.")
  private int launches = 20;

  @Option(
      names = "--footprint",
      paramLabel = "S",
      description =
          "Seconds of each JVM whose memory is measured, at the highest rate; 0: none."
              + " Default: ${DEFAULT-VALUE}.")
  private double footprintSeconds = 8;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "The page; - for standard output. Default: docs/performance.md.")
  private String out = System.getProperty("overhead.page", "-");

  private final Markdown figures = new Markdown();
  private final Tables tables = new Tables(figures);

  private Overhead() {}

  /** Converts a label of the command line for picocli. */
  static final class KindOfLabel implements ITypeConverter<WindowKind> {
    @Override
    public WindowKind convert(String label) {
      try {
        return WindowKind.of(label);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Overhead()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (blocks < 1 || seconds <= 0 || rates.stream().anyMatch(rate -> rate < 1 || rate > 10_000)) {
      throw new ParameterException(
          line.commandLine(), "at least one window, longer than 0 s; rates from 1 to 10000");
    }
    long begin = System.nanoTime();
    String loadBefore = Machine.load();
    List<Jdk> jdks = jdks();
    Map<String, StartCost> starts = new LinkedHashMap<>();
    Map<String, List<Footprint>> footprints = new LinkedHashMap<>();
    for (Jdk jdk : jdks) {
      Fork fork = fork(jdk);
      for (int rate : rates) {
        Comparison windows = windows(fork, rate);
        figures.title("%s, %,d samples per CPU second".formatted(jdk, rate));
        tables.lost(windows);
        tables.verdicts(windows);
      }
      if (launches > 0) {
        say("%s, starts".formatted(jdk));
        starts.put(
            jdk.toString(), StartCost.measure(jdk, fork.agent(), fork.directory(), launches));
      }
      if (footprintSeconds > 0) {
        say("%s, memory".formatted(jdk));
        footprints.put(jdk.toString(), footprints(fork));
      }
    }
    ends(starts, footprints);
    long took = (System.nanoTime() - begin) / NANOS_PER_SECOND;
    Markdown page = new Markdown();
    page.facts(facts(jdks, loadBefore + " and " + Machine.load(), took));
    page.add(figures);
    write(page);
    return 0;
  }

  private void ends(Map<String, StartCost> starts, Map<String, List<Footprint>> footprints) {
    if (!starts.isEmpty()) {
      figures.title("CPU time of a start");
      tables.starts(starts);
    }
    if (!footprints.isEmpty()) {
      figures.title(
          "Memory, and the recording, after %s s at %,d samples per CPU second"
              .formatted(footprintSeconds, highestRate()));
      tables.footprints(footprints);
    }
  }

  private List<Jdk> jdks() {
    try {
      return Jdk.in(homes);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(line.commandLine(), e.getMessage());
    }
  }

  private int highestRate() {
    return rates.stream().mapToInt(Integer::intValue).max().orElseThrow();
  }

  private Fork fork(Jdk jdk) throws IOException {
    Path directory =
        Files.createDirectories(Built.target().resolve("overhead/jdk" + jdk.feature()));
    return new Fork(jdk, Built.agentJar(), directory, engine);
  }

  /** Measures the windows of one JVM; its counts are kept in {@code windows-RATE.csv}. */
  private Comparison windows(Fork fork, int rate) throws IOException, InterruptedException {
    say("%s, %d Hz".formatted(fork.jdk(), rate));
    List<WindowKind> measured =
        kinds.stream().filter(kind -> kind != WindowKind.ABSENT || rate == rates.get(0)).toList();
    Plan plan = fork.plan(measured, blocks, seconds, NANOS_PER_SECOND / rate);
    List<String> lines = fork.run(MeasuredJvm.class, true, plan);
    Files.write(fork.directory().resolve("windows-" + rate + ".csv"), lines);
    List<Window> windows = new ArrayList<>();
    Map<Integer, Recorded> recorded = new TreeMap<>();
    for (String line : lines.subList(lines.indexOf(Window.COLUMNS) + 1, lines.size())) {
      Window window = Window.of(line);
      windows.add(window);
      if (!window.file().isEmpty()) {
        Path file = fork.directory().resolve(window.file());
        if (window.kind().samples()) {
          recorded.put(
              window.number(),
              Recorded.read(window.kind(), file, window.beginNanos(), window.endNanos()));
        }
        Files.delete(file);
      }
    }
    return new Comparison(windows, recorded);
  }

  private List<Footprint> footprints(Fork fork) throws IOException, InterruptedException {
    List<Footprint> footprints = new ArrayList<>();
    for (WindowKind kind : FOOTPRINTS) {
      footprints.add(
          Footprint.measure(fork, kind, footprintSeconds, NANOS_PER_SECOND / highestRate()));
    }
    return footprints;
  }

  private Map<String, String> facts(List<Jdk> jdks, String load, long took) throws IOException {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("command", "`lab/overhead" + arguments() + "`");
    facts.put("date", LocalDateTime.now(ZoneOffset.UTC).format(DateTimeFormatter.ISO_LOCAL_DATE));
    facts.put("machine", Machine.description());
    facts.put("JDKs", jdks.stream().map(Jdk::version).collect(Collectors.joining(", ")));
    facts.put("options of the JVMs", String.join(" ", Fork.OPTIONS));
    facts.put("windows", "%d of each kind, %s s each".formatted(blocks, seconds));
    facts.put("load of the machine before and after", load);
    facts.put("interrupts in CPU time", interrupts());
    facts.put("the whole run took", "%d min %d s".formatted(took / 60, took % 60));
    return facts;
  }

  private String arguments() {
    List<String> given = line.commandLine().getParseResult().originalArgs();
    return given.isEmpty() ? "" : " " + String.join(" ", given);
  }

  /**
   * How the kernel accounts for interrupts. A stack is copied in an interrupt: that must count as
   * CPU time of the thread, or the figures are too low.
   */
  private static String interrupts() throws IOException {
    String[] cpu = Files.readAllLines(Path.of("/proc/stat")).get(0).trim().split(" +");
    return cpu[IRQ_COLUMN].equals("0")
        ? "yes: the kernel counts them as the interrupted thread's"
        : "NO: this kernel counts them apart, so what perf costs is not in these figures";
  }

  private void say(String what) {
    System.err.println("overhead: " + what);
  }

  private void write(Markdown page) throws IOException {
    if (out.equals("-")) {
      System.out.println(page);
    } else {
      page.writeInto(Path.of(out), BEGIN, END);
    }
  }
}
