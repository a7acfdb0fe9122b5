package stackweave.lab.shares;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import stackweave.testing.Jdk;
import stackweave.testing.Machine;
import stackweave.testing.Markdown;

/** Compares samples with CPU time, thread by thread. */
@Command(
    name = "shares",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Compares the samples of 200 threads of very different load, and of short ones, with the CPU"
          + " time that the kernel says each has used. Among them are threads that work in step"
          + " with the interval, and with the kernel's clock."
    })
public final class Shares implements Runnable {
  @Option(
      names = "--engine",
      split = ",",
      description = "perf, timer, perf-thread; default: ${DEFAULT-VALUE}")
  private List<String> engines = List.of("perf");

  @Option(names = "--interval", split = ",", description = "default: ${DEFAULT-VALUE}")
  private List<String> intervals = List.of("10ms", "1ms");

  @Option(names = "--seconds", description = "of each run; default: ${DEFAULT-VALUE}")
  private int seconds = 60;

  @Option(names = "--jdk", description = "a JDK's directory; default: the oldest")
  private Path jdk;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Shares()).execute(arguments));
  }

  @Override
  public void run() {
    try {
      Jdk on = jdk == null ? Jdk.all().get(0) : Jdk.in(jdk);
      Markdown text = new Markdown();
      Map<String, String> facts = new LinkedHashMap<>();
      facts.put("date", LocalDate.now().toString());
      facts.put("machine", Machine.description());
      facts.put("JDK", on.version());
      text.facts(facts);
      Path directory = Files.createTempDirectory("shares");
      for (String engine : engines) {
        for (String interval : intervals) {
          add(text, SharesRun.of(on, engine, interval, seconds, directory), interval);
        }
      }
      System.out.println(text);
      try (var left = Files.newDirectoryStream(directory)) {
        for (Path file : left) {
          Files.delete(file);
        }
      }
      Files.delete(directory);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void add(Markdown text, SharesRun run, String interval) {
    text.title(format("%s, %s, %d s", run.engine(), interval, seconds));
    text.table(
        "threads",
        ">number",
        ">CPU time, s",
        ">samples",
        ">their CPU time, s",
        ">difference",
        ">standard deviations");
    ChiSquare test = run.withoutRows();
    run.kinds()
        .forEach(
            (kind, row) ->
                text.row(
                    kind,
                    "" + row.threads,
                    format("%.3f", row.used / 1e9),
                    "" + row.samples,
                    format("%.3f", row.sampled / 1e9),
                    format("%+.1f %%", 100 * ((double) row.sampled / row.used - 1)),
                    format("%+.1f", test.deviations(row.used, row.sampled))));
    ChiSquare all = run.overThreads();
    text.line(
        format(
            "Over all threads: chi-square %.1f with %d degrees of freedom; chance alone makes it"
                + " so large with a probability of %.3f.",
            all.sum(), all.degrees(), all.probability()));
    double off = (run.coverage() - 1) / run.coverageDeviation();
    text.line(
        format(
            "The whole process: %d samples have %.2f %% of its CPU time, %+.1f standard deviations"
                + " of %.2f %% from all of it; %d lost or left out; %d stacks were cut.",
            run.samples(),
            100 * run.coverage(),
            off,
            100 * run.coverageDeviation(),
            run.missing(),
            run.incomplete()));
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
