package stackweave.lab.overhead;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.lab.Built;
import stackweave.lab.Report;
import stackweave.lab.overhead.Statistics.Estimate;
import stackweave.testing.Jdk;
import stackweave.testing.Markdown;

/** Measures what sampling costs the whole process, and writes a table. */
@Command(
    name = "overhead",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures the CPU time that a whole process takes for the same work: with nobody who samples"
          + " it, with the agent, and with async-profiler, in turns.",
      "tokens: pairs of threads hand a token to each other. queues: 64 threads with queues between"
          + " them. stacks: deep ones of Java and C. idle: so many threads wait while some work."
          + " starts: threads that start and end. sql, compiler, search: applications that are not"
          + " ours. nothing=1: the start of a JVM."
    })
public final class Overhead implements Callable<Integer> {
  private static final String NOBODY = Sampler.NOBODY.label();
  private static final Set<Sampler> NOT_IN_WINDOWS =
      EnumSet.of(Sampler.EMPTY, Sampler.DORMANT, Sampler.JFR, Sampler.INSIDE);

  @Mixin private final Report report = new Report();

  /** A table of what the commands took that sampled. */
  private final Markdown commands = new Markdown();

  @Option(
      names = "--work",
      split = ",",
      description =
          "APP[:THREADS]=UNITS: an application, its threads, and how much it has to do: a number, or"
              + " a time such as 300s (left out for windows); default: ${DEFAULT-VALUE}")
  private List<String> works =
      List.of("tokens:2=8000", "tokens:8=16000", "tokens:200=16000", "queues=8000", "sql=700");

  @Option(names = "--hz", description = "samples per CPU second; default: ${DEFAULT-VALUE}")
  private int hz = 100;

  @Option(
      names = "--by",
      split = ",",
      description =
          "who samples: perf, timer, perf-thread, each with more of the agent's options if they are"
              + " appended (perf+blocked=5ms), and of another agent's jar behind @"
              + " (perf@before.jar, not for windows), async-cpu, async-ctimer; outside: the command record, whose own"
              + " CPU time is in a table of its own; inside: that command with --inside; dormant: the"
              + " agent without a recording; empty: an agent that does nothing; jfr: a recording without events;"
              + " default: ${DEFAULT-VALUE}")
  private List<String> by = List.of("perf", "timer", "async-cpu", "async-ctimer");

  @Option(
      names = "--from",
      description = "count from this second of a process on; default: all, with start and end")
  private int from;

  @Option(
      names = "--least",
      description = "processes of each kind at least; default: ${DEFAULT-VALUE}")
  private int least = 8;

  @Option(
      names = "--most",
      description = "processes of each kind at most; default: ${DEFAULT-VALUE}")
  private int most = 40;

  @Option(
      names = "--within",
      description =
          "half of an interval's width in percent at which there are enough; default:"
              + " ${DEFAULT-VALUE}")
  private double within = 2;

  @Option(
      names = "--windows",
      description =
          "compare windows of so many seconds in one process, not processes: the application and"
              + " the agent are compiled then, and no start counts; --least, --most and --within"
              + " are of windows; for tokens and queues")
  private double windows;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Overhead()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Markdown text = new Markdown();
    List<String> columns = new ArrayList<>(List.of("work", ">JDK", ">" + NOBODY + ", µs a unit"));
    by.forEach(label -> columns.add(">" + label));
    columns.add(windows > 0 ? ">windows of each" : ">processes of each");
    text.table(columns.toArray(String[]::new));
    commands.table(
        "work", ">JDK", "command", ">CPU seconds", ">of the process's", ">peak of memory, MiB");
    Path directory = Files.createTempDirectory("overhead");
    for (Jdk jdk : report.jdks()) {
      for (String each : works) {
        String[] work = (each + "=0").split("=");
        String[] app = work[0].split(":");
        int threads = app.length == 1 ? 0 : Integer.parseInt(app[1]);
        measure(new SameWork(jdk, app[0], work[1], threads, from, hz, directory), work[0], text);
      }
    }
    try (Stream<Path> left = Files.list(directory)) {
      for (Path file : left.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
    if (by.stream().anyMatch(label -> sampler(label).isCommand())) {
      text.add(commands);
    }
    report.write(facts(), text);
    return 0;
  }

  /** One row. */
  private void measure(SameWork work, String name, Markdown text)
      throws IOException, InterruptedException {
    List<String> turns = new ArrayList<>(List.of(NOBODY));
    turns.addAll(by);
    Map<String, List<Double>> nanos = new LinkedHashMap<>();
    turns.forEach(label -> nanos.put(label, new ArrayList<>()));
    int count = windows > 0 ? inWindows(work, name, nanos) : inProcesses(work, name, turns, nanos);
    List<String> cells = new ArrayList<>(List.of(name, "" + work.jdk().feature()));
    cells.add(format("%.1f", median(nanos.get(NOBODY)) / 1e3));
    for (String label : by) {
      Estimate over = over(nanos, label);
      cells.add(format("%+.1f %% (%+.1f to %+.1f)", over.median(), over.low(), over.high()));
    }
    cells.add("" + count);
    text.row(cells.toArray(String[]::new));
  }

  private int inProcesses(
      SameWork work, String name, List<String> turns, Map<String, List<Double>> nanos)
      throws IOException, InterruptedException {
    Map<String, List<SameWork.Cost>> costs = new LinkedHashMap<>();
    int count = 0;
    while (count < least || count < most && !isEnough(nanos)) {
      for (String label : turns) {
        SameWork.Cost cost = work.cost(sampler(label), agentJar(label), agentOptions(label));
        nanos.get(label).add(cost.nanosPerUnit());
        if (cost.command() != null) {
          costs.computeIfAbsent(label, key -> new ArrayList<>()).add(cost);
        }
      }
      Collections.rotate(turns, 1); // whoever comes first does not always
      count++;
      System.err.println(line(work, name, nanos));
    }
    costs.forEach((label, each) -> commands.row(commandRow(work, name, label, each)));
    return count;
  }

  /** What the commands took that sampled. */
  private static String[] commandRow(
      SameWork work, String name, String label, List<SameWork.Cost> costs) {
    double share =
        Statistics.median(
            costs.stream()
                .mapToDouble(cost -> 100.0 * cost.command().nanos() / cost.nanos())
                .toArray());
    double seconds =
        Statistics.median(
            costs.stream().mapToDouble(cost -> cost.command().nanos() / 1e9).toArray());
    long peak = costs.stream().mapToLong(cost -> cost.command().kibibytes()).max().orElse(0);
    return new String[] {
      name,
      "" + work.jdk().feature(),
      label,
      format("%.2f", seconds),
      format("%.1f %%", share),
      "" + peak / 1_024
    };
  }

  private int inWindows(SameWork work, String name, Map<String, List<Double>> nanos)
      throws IOException, InterruptedException {
    List<Sampler> samplers = nanos.keySet().stream().map(Overhead::sampler).toList();
    List<String> options =
        nanos.keySet().stream()
            .map(Overhead::agentOptions)
            .filter(text -> !text.isEmpty())
            .toList();
    if (options.size() > 1 || samplers.stream().anyMatch(NOT_IN_WINDOWS::contains)) {
      throw new IllegalArgumentException(
          "windows are of one agent, with one set of options, and not of " + NOT_IN_WINDOWS);
    }
    if (samplers.contains(Sampler.OUTSIDE)
        && samplers.stream().anyMatch(sampler -> !sampler.engine().isEmpty())) {
      throw new IllegalArgumentException("where the agent is, it is not sampled from outside");
    }
    Process process = work.windows(samplers, String.join("", options), windows);
    int count = 0;
    try (BufferedReader lines = process.inputReader()) {
      while (count < least || count < most && !isEnough(nanos)) {
        String line = lines.readLine();
        if (line == null) {
          throw new IOException(name + " ended early");
        }
        Iterator<List<Double>> values = nanos.values().iterator();
        for (String value : line.split(" ")) {
          values.next().add(Double.parseDouble(value));
        }
        count++;
        System.err.println(line(work, name, nanos));
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
    return count;
  }

  private static Sampler sampler(String label) {
    return Sampler.of(label.split("[+@]")[0]);
  }

  private static Path agentJar(String label) {
    int at = label.indexOf('@');
    return at < 0 ? Built.agentJar() : Path.of(label.substring(at + 1)).toAbsolutePath();
  }

  /** Each begins with a comma. */
  private static String agentOptions(String label) {
    String name = label.split("@")[0];
    int plus = name.indexOf('+');
    return plus < 0 ? "" : name.substring(plus).replace('+', ',');
  }

  private boolean isEnough(Map<String, List<Double>> nanos) {
    for (String label : nanos.keySet()) {
      Estimate over = over(nanos, label);
      if (over.high() - over.low() > 2 * within) {
        return false;
      }
    }
    return true;
  }

  /** By how many percent a process takes more than that of the same turn which nobody samples. */
  private static Estimate over(Map<String, List<Double>> nanos, String label) {
    List<Double> without = nanos.get(NOBODY);
    double[] percent = new double[without.size()];
    for (int i = 0; i < percent.length; i++) {
      percent[i] = 100 * (nanos.get(label).get(i) / without.get(i) - 1);
    }
    return Statistics.estimate(percent);
  }

  private static double median(List<Double> values) {
    return Statistics.median(values.stream().mapToDouble(Double::doubleValue).toArray());
  }

  private static String line(SameWork work, String name, Map<String, List<Double>> nanos) {
    StringBuilder line = new StringBuilder(name + ", JDK " + work.jdk().feature() + ":");
    nanos.forEach(
        (label, each) -> line.append(format(" %s %.1f", label, each.get(each.size() - 1) / 1e3)));
    nanos.keySet().stream()
        .filter(label -> !label.equals(NOBODY))
        .forEach(label -> line.append(format(" %+.1f%%", over(nanos, label).median())));
    return line.toString();
  }

  private Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("samples per CPU second", "" + hz);
    if (windows > 0) {
      facts.put("windows", windows + " s");
    } else {
      facts.put("counted from second", from == 0 ? "0, with start and end" : "" + from);
    }
    return facts;
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
