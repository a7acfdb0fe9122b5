package stackweave.lab.threads;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import stackweave.lab.Built;
import stackweave.lab.recording.PlainSamples;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.Machine;
import stackweave.testing.Markdown;

/** What sampling costs where there are many threads, or many are started, or many CPUs. */
@Command(
    name = "threads",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures a JVM that is sampled while four of its threads work for a quarter of the time, and"
          + " all others wait: what the agent's own thread uses of a core, which descriptors and"
          + " what memory of the kernel the engine has, and what a thread's start and end take."
          + " Then threads are started that end at once.",
      "CPUs need not be there (lab/src/main/c/cpus.c)."
    })
public final class ManyThreads implements Runnable {
  @Option(
      names = "--engine",
      split = ",",
      description = "perf, timer, perf-thread; default: ${DEFAULT-VALUE}")
  private List<String> engines = List.of("perf", "timer", "perf-thread");

  @Option(names = "--threads", split = ",", description = "default: ${DEFAULT-VALUE}")
  private List<Integer> threads = List.of(10, 1_000, 10_000);

  @Option(names = "--cpus", split = ",", description = "default: those that are there")
  private List<Integer> cpus = List.of(0);

  @Option(
      names = "--starts",
      description = "threads to start in a second; default: ${DEFAULT-VALUE}")
  private int starts = 7_000;

  @Option(names = "--seconds", description = "of each measurement; default: ${DEFAULT-VALUE}")
  private int seconds = 10;

  @Option(names = "--jdk", description = "a JDK's directory; default: the oldest")
  private Path jdk;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new ManyThreads()).execute(arguments));
  }

  @Override
  public void run() {
    try {
      measure();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void measure() throws IOException {
    Jdk on = jdk == null ? Jdk.all().get(0) : Jdk.in(jdk);
    Markdown text = new Markdown();
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("date", LocalDate.now().toString());
    facts.put("machine", Machine.description());
    facts.put("JDK", on.version());
    text.facts(facts);
    text.table(
        ">CPUs",
        "engine asked for",
        ">threads",
        "sampled by",
        ">descriptors",
        ">rings, MiB",
        ">agent's thread, % of a core",
        ">start and end of a thread, µs",
        ">threads started a second",
        ">agent's thread meanwhile, % of a core",
        "sampled by then",
        ">samples",
        ">complete",
        ">CPU time in samples");
    Path directory = Files.createTempDirectory("many-threads");
    for (int each : cpus) {
      for (String engine : engines) {
        for (int count : threads) {
          List<String> cells =
              new ArrayList<>(List.of(each == 0 ? "" : "" + each, engine, "" + count));
          cells.addAll(run(on, directory, each, engine, count));
          text.row(cells.toArray(String[]::new));
        }
      }
    }
    System.out.println(text);
    try (var left = Files.newDirectoryStream(directory)) {
      for (Path file : left) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  private List<String> run(Jdk on, Path directory, int pretended, String engine, int count)
      throws IOException {
    ForkedJvm jvm =
        ForkedJvm.on(on, directory)
            .options("-Xmx512m", "-Xss256k", "-XX:+UseSerialGC")
            .agent("engine=" + engine)
            .recording("settings=none", "+stackweave.NativeSample#interval=10ms")
            .classPath(Built.classPath());
    if (pretended > 0) {
      jvm.environment("CPUS", "" + pretended)
          .environment("LD_PRELOAD", Built.library("cpus").toString())
          .options("-XX:ActiveProcessorCount=2");
    }
    var ended =
        jvm.run(ManyThreadsJvm.class.getName(), "" + count, "" + starts, "" + seconds)
            .successfully();
    List<String> cells = new ArrayList<>(List.of(ended.outLines().get(0).split("\t", -1)));
    addSamples(ended.recording(), cells);
    Files.delete(ended.recording());
    return cells;
  }

  private static void addSamples(Path file, List<String> cells) throws IOException {
    PlainSamples own = new PlainSamples();
    long used = 0;
    long covered = 0;
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) {
        RecordedEvent event = recording.readEvent();
        own.add(event);
        if (event.getEventType().getName().equals("stackweave.SamplerStatus")) {
          used += event.getLong("cpuUsed");
          covered += event.getLong("cpuCovered");
        }
      }
    }
    long complete = own.samples.stream().filter(own::isComplete).count();
    cells.add("" + own.samples.size());
    cells.add(percent(complete, own.samples.size()));
    cells.add(percent(covered, used));
  }

  private static String percent(long part, long whole) {
    return String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
  }
}
