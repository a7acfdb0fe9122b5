package stackweave.lab.fleet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.lab.Built;
import stackweave.lab.CpuTime;
import stackweave.lab.Report;
import stackweave.testing.Markdown;

/** Measures Ingest and the questions to the tables; the command {@code lab/fleet}. */
@Command(
    name = "fleet",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Records programs, makes copies of their recordings that are of other hosts and days, reads"
          + " these into tables by Spark with 1 and 2 executors, and asks questions.",
      "Prints CPU time by megabyte and by million samples, memory of an executor, size of the"
          + " tables, and beside it what collapsed takes for some of the same recordings."
    })
public final class Fleet implements Callable<Integer> {
  private static final double MEGABYTE = 1e6;
  private static final int BESIDE = 20;

  @Mixin private Report report;

  @Option(names = "--seconds", description = "of each recording; default: ${DEFAULT-VALUE}")
  private int seconds = 60;

  @Option(names = "--count", description = "recordings; default: ${DEFAULT-VALUE}")
  private int count = 2_000;

  @Option(
      names = "--executors",
      split = ",",
      description = "0 is Spark in the driver alone; default: ${DEFAULT-VALUE}")
  private List<Integer> executors = List.of(1, 2);

  @Option(
      names = "--directory",
      description =
          "for recordings and tables, and kept; what is there is used; default: a new one")
  private Path directory;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Fleet()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    Path all = directory == null ? Files.createTempDirectory("fleet") : directory;
    Path originals = Files.createDirectories(all.resolve("originals"));
    StampedRecordings.record(report.jdks(), seconds, originals);
    Path copies = all.resolve("recordings");
    if (!Files.exists(copies)) {
      StampedRecordings.copy(originals, count, copies);
    }
    long bytes = bytes(copies);
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("recordings", text("%,d of %d s, %,.0f MB", count, seconds, bytes / MEGABYTE));
    Markdown tables = new Markdown();
    tables.table(
        "executors",
        ">wall, s",
        ">CPU, s",
        ">of it the driver",
        ">CPU s/MB",
        ">CPU s/million samples",
        ">peak of an executor, MiB",
        ">tables, MB",
        ">of the recordings");
    Path last = null;
    for (int each : executors) {
      last = Files.createTempDirectory(all, "tables");
      measure(each, copies, bytes, last, tables);
    }
    askQuestions(last, tables);
    beside(copies, tables);
    report.write(facts, tables);
    return 0;
  }

  private void measure(int executorCount, Path copies, long bytes, Path out, Markdown tables)
      throws IOException, InterruptedException {
    try (SparkCluster spark = new SparkCluster(executorCount, out.resolve("spark"))) {
      SparkCluster.Taken taken =
          spark.run("Ingest", copies.toString(), out.resolve("tables").toString());
      String samples =
          spark
              .run("Query", out.resolve("tables").toString(), "SELECT sum(count) FROM samples")
              .out()
              .lines()
              .reduce("", (before, line) -> line)
              .strip();
      double cpu = (taken.driverNanos() + taken.executorNanos()) / 1e9;
      long written = bytes(out.resolve("tables"));
      String[] row = {
        executorCount == 0 ? "none, local[2]" : "" + executorCount,
        text("%.0f", taken.seconds()),
        text("%.0f", cpu),
        text("%.0f", taken.driverNanos() / 1e9),
        text("%.4f", cpu / (bytes / MEGABYTE)),
        text("%.2f", cpu / (Long.parseLong(samples) / 1e6)),
        text("%d", taken.executorKibibytes() >> 10),
        text("%.1f", written / MEGABYTE),
        text("%.2f %%", 100.0 * written / bytes)
      };
      System.err.println(String.join("  ", row)); // the whole takes an hour
      tables.row(row);
    }
  }

  private void askQuestions(Path out, Markdown tables) throws IOException, InterruptedException {
    String directoryOfTables = out.resolve("tables").toString();
    Map<String, List<String>> questions = new LinkedHashMap<>();
    questions.put("Top, all", List.of("Top", directoryOfTables));
    questions.put(
        "Top, a service", List.of("Top", directoryOfTables, "--where", "service = 'orders'"));
    questions.put(
        "Diff of versions",
        List.of(
            "Diff",
            directoryOfTables,
            "--before",
            "version = '2.3.0'",
            "--after",
            "version = '2.3.1'"));
    questions.put(
        "FlameGraph, all",
        List.of("FlameGraph", directoryOfTables, "-o", out.resolve("page.html").toString()));
    tables.table("question, in the driver alone", ">wall, s", ">CPU, s", ">peak, MiB");
    try (SparkCluster spark = new SparkCluster(0, out.resolve("spark"))) {
      for (Map.Entry<String, List<String>> question : questions.entrySet()) {
        List<String> words = question.getValue();
        SparkCluster.Taken taken =
            spark.run(words.get(0), words.subList(1, words.size()).toArray(String[]::new));
        tables.row(
            question.getKey(),
            text("%.1f", taken.seconds()),
            text("%.1f", taken.driverNanos() / 1e9),
            text("%d", taken.executorKibibytes() >> 10));
      }
    }
  }

  /** The same by processes without Spark. */
  private void beside(Path copies, Markdown tables) throws IOException, InterruptedException {
    List<Path> some;
    try (Stream<Path> files = Files.walk(copies)) {
      some = files.filter(Files::isRegularFile).sorted().limit(BESIDE).toList();
    }
    String converter =
        Built.target().resolve("lib") + "/*"; // has jfr-converter, one of async-profiler's jars
    tables.table("beside it, a process for each recording", ">CPU s/recording", ">CPU s/MB");
    tables.row(cells("collapsed", some, "-jar", Built.agentJar().toString(), "collapsed"));
    tables.row(cells("jfr-converter, to collapsed", some, "-cp", converter, "one.convert.Main"));
  }

  private String[] cells(String name, List<Path> files, String... command)
      throws IOException, InterruptedException {
    long before = CpuTime.ofChildren();
    long bytes = 0;
    for (Path file : files) {
      List<String> words = new ArrayList<>();
      words.add(report.jdks().get(0).java().toString());
      words.addAll(List.of(command));
      words.add(file.toString());
      if (command[0].equals("-cp")) {
        words.add(words.size() - 1, "--output");
        words.add(words.size() - 1, "collapsed");
        words.add("/dev/null");
      }
      int exit =
          new ProcessBuilder(words)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor();
      if (exit != 0) {
        return new String[] {name, "failed", ""};
      }
      bytes += Files.size(file);
    }
    double cpu = (CpuTime.ofChildren() - before) / 1e9;
    return new String[] {
      name, text("%.2f", cpu / files.size()), text("%.4f", cpu / (bytes / MEGABYTE))
    };
  }

  private static long bytes(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> Files.isRegularFile(file) && !file.toString().endsWith(".crc"))
          .mapToLong(file -> file.toFile().length())
          .sum();
    }
  }

  private static String text(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}
