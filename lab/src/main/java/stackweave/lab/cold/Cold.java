package stackweave.lab.cold;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import stackweave.lab.cold.ColdRun.Plan;
import stackweave.lab.cold.ColdRun.Profilers;
import stackweave.testing.Jdk;
import stackweave.testing.Markdown;

/** Measures what sampling costs real applications from their start on, and writes tables. */
@Command(
    name = "cold",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures what sampling costs three applications that are not ours, from their start on:",
      "CPU time of the agent's thread and of compiling the agent, beside async-profiler's."
    })
public final class Cold implements Runnable {
  private static final String BEGIN = "<!-- written by lab/cold from here on -->";
  private static final String END = "<!-- lab/cold to here -->";

  @Option(names = "--jdk", description = "a JDK's directory; several are allowed; default: all")
  private List<Path> jdks = List.of();

  @Option(names = "--app", description = "sql, compiler or search; default: all")
  private List<String> apps = List.of("sql", "compiler", "search");

  @Option(names = "--hz", description = "samples per CPU second; default: 100 and 1000")
  private List<Integer> rates = List.of(100, 1000);

  @Option(names = "--seconds", description = "length of a run; default: ${DEFAULT-VALUE}")
  private int seconds = 80;

  @Option(names = "--cold", description = "seconds that count as cold; default: ${DEFAULT-VALUE}")
  private int cold = 40;

  @Option(
      names = "--agent-options",
      defaultValue = "",
      description = "more options of the agent, such as jit=all,hooks=on")
  private String agentOptions;

  @Option(names = "--alone", description = "only runs without async-profiler and strace")
  private boolean alone;

  @Option(names = "--keep", description = "keep the recordings in this directory")
  private Path keep;

  @Option(names = "--page", description = "write into this page; default: print")
  private Path page;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Cold()).execute(arguments));
  }

  @Override
  public void run() {
    try {
      measure();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void measure() throws IOException, InterruptedException {
    Path directory = keep == null ? Files.createTempDirectory("cold") : keep;
    Files.createDirectories(directory);
    List<ColdRun> runs = new ArrayList<>();
    for (Jdk jdk : jdks.isEmpty() ? Jdk.all() : jdks.stream().map(Jdk::in).toList()) {
      for (String app : apps) {
        runs.add(run(jdk, app, 0, Profilers.NONE, directory));
        for (int hz : rates) {
          runs.add(run(jdk, app, hz, Profilers.AGENT, directory));
          if (!alone) {
            runs.add(run(jdk, app, hz, Profilers.BOTH, directory));
          }
        }
        if (!alone) {
          runs.add(run(jdk, app, rates.get(0), Profilers.TRACED, directory));
        }
      }
    }
    Markdown text = new Markdown();
    text.facts(facts());
    Tables.write(text, runs);
    if (page == null) {
      System.out.println(text);
    } else {
      text.writeInto(page, BEGIN, END);
    }
    if (keep == null) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private ColdRun run(Jdk jdk, String app, int hz, Profilers profilers, Path directory)
      throws IOException, InterruptedException {
    Plan plan = new Plan(jdk, app, hz, profilers, seconds, cold, agentOptions);
    ColdRun run = ColdRun.of(plan, directory);
    System.err.println(run.line());
    return run;
  }

  private Map<String, String> facts() throws IOException {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("date", LocalDate.now().toString());
    facts.put("CPUs", "" + Runtime.getRuntime().availableProcessors());
    facts.put("load at the end", Files.readString(Path.of("/proc/loadavg")).split(" ")[0]);
    facts.put("a run", seconds + " s, the first " + cold + " s of them cold");
    if (!agentOptions.isEmpty()) {
      facts.put("options of the agent", agentOptions);
    }
    return facts;
  }
}
