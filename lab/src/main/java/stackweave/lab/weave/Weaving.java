package stackweave.lab.weave;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import stackweave.lab.Built;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.Machine;
import stackweave.testing.Markdown;

/** Runs {@link WeavingApp} with {@code weave=on}, and compares every sample of its files. */
@Command(
    name = "weaving",
    mixinStandardHelpOptions = true,
    description = {
      "Starts, dumps and stops recordings all the time, with weave=on and with streams beside, and",
      "compares every woven sample in every file with what Stackweave's own reader has of it."
    })
public final class Weaving implements Callable<Integer> {
  private static final String BEGIN = "<!-- written by lab/weaving from here on -->";
  private static final String END = "<!-- lab/weaving to here -->";

  @Option(names = "--jdk", description = "a JDK's directory; several are allowed; default: all")
  private List<Path> jdks = List.of();

  @Option(
      names = "--reader",
      description = "a JDK that reads the files; default: 17 and 25, or all where these are not")
  private List<Path> readers = List.of();

  @Option(names = "--seconds", description = "of each JDK's storm; default: ${DEFAULT-VALUE}")
  private int seconds = 60;

  @Option(names = "--out", description = "write into this page; - or none: print")
  private Path out;

  @Option(names = "--state", hidden = true, description = "the state of the sources, for the page")
  private String state = "unknown";

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Weaving()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    String loadBefore = Machine.load();
    List<Jdk> reading = readers();
    Markdown page = new Markdown();
    List<WeavingRun> runs = new ArrayList<>();
    for (Jdk jdk : Jdk.in(jdks)) {
      WeavingRun run = run(jdk, reading);
      System.err.println(jdk + ": " + run);
      runs.add(run);
    }
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("date", LocalDate.now(ZoneOffset.UTC).toString());
    facts.put("sources", state);
    facts.put("machine", Machine.description());
    facts.put("read by", String.join(", ", reading.stream().map(Jdk::toString).toList()));
    facts.put("load of the machine before and after", loadBefore + ", " + Machine.load());
    page.facts(facts);
    WeavingRun.table(page, runs);
    if (out == null || out.equals(Path.of("-"))) {
      System.out.println(page);
    } else {
      page.writeInto(out, BEGIN, END);
    }
    return runs.stream().allMatch(WeavingRun::isRight) ? 0 : 1;
  }

  private List<Jdk> readers() throws IOException {
    if (!readers.isEmpty()) {
      return Jdk.in(readers);
    }
    List<Jdk> all = Jdk.all();
    List<Jdk> usual =
        all.stream().filter(jdk -> jdk.feature() == 17 || jdk.feature() == 25).toList();
    return usual.isEmpty() ? all : usual;
  }

  private WeavingRun run(Jdk jdk, List<Jdk> reading) throws IOException, InterruptedException {
    Path directory = Built.target().resolve("weaving/jdk-" + jdk.feature());
    clear(directory);
    // Each file of the MBean holds what the repository has: half a minute.
    Ended ended =
        ForkedJvm.on(jdk, directory)
            .options("-javaagent:" + Built.agentJar() + "=weave=on")
            .recording(
                "maxage=30s",
                "+stackweave.NativeSample#interval=5ms",
                "jdk.ExecutionSample#enabled=false",
                "jdk.NativeMethodSample#enabled=false")
            .options("-XX:FlightRecorderOptions:maxchunksize=1M")
            .classPath(Built.classes())
            .start(WeavingApp.class.getName(), Integer.toString(seconds), ".", "streams")
            .end(Duration.ofSeconds(seconds).plusMinutes(10));
    ended.successfully();
    WeavingRun run = new WeavingRun(jdk, seconds, ended);
    run.count(recordings(directory), reading);
    return run;
  }

  private static List<Path> recordings(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(each -> each.toString().endsWith(".jfr")).sorted().toList();
    }
  }

  private static void clear(Path directory) throws IOException {
    Files.createDirectories(directory);
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.delete(file);
      }
    }
  }

  /** With thousands separated. */
  static String figure(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }
}
