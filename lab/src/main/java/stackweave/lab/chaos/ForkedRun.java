package stackweave.lab.chaos;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import stackweave.lab.RecordBeside;
import stackweave.lab.chaos.antagonist.Antagonist;
import stackweave.lab.chaos.antagonist.Antagonists;
import stackweave.lab.chaos.work.Board;
import stackweave.lab.chaos.work.Tally;
import stackweave.testing.Jdk;

/**
 * One run: antagonists on one JDK under one engine, in a JVM of their own.
 *
 * @param mix names of antagonists with {@code +} between them
 * @param jdk under test
 * @param engine that is to sample; {@link #NO_AGENT} for a JVM that nobody samples, {@link
 *     #OUTSIDE} for one without an agent that the command samples
 * @param settings of all runs
 */
record ForkedRun(String mix, Jdk jdk, String engine, Settings settings) {
  static final String NO_AGENT = "none";

  /** Sampled by the command {@code record}, from outside. */
  static final String OUTSIDE = "outside";

  private static final String OUTSIDE_ENGINE = "perf";
  private static final int LOOK_MILLIS = 50;

  /** The engine that this machine allows. */
  private static final String ANY = "auto";

  private static final String AGENT_SAYS = "stackweave:";
  private static final String RECORD_SAYS = "record";

  /**
   * The settings that all runs have in common.
   *
   * @param agent its jar
   * @param classPath of the sample applications
   * @param directory below which each run has its own
   * @param seconds of each run
   * @param cycles how many recordings are made by an antagonist that makes recordings
   * @param interval CPU time between two samples
   * @param hangSeconds without a result after which a JVM counts as hanging
   */
  record Settings(
      Path agent,
      String classPath,
      Path directory,
      double seconds,
      int cycles,
      String interval,
      int hangSeconds) {

    Settings withSeconds(double others) {
      return new Settings(agent, classPath, directory, others, cycles, interval, hangSeconds);
    }
  }

  /** Time that a JVM's start and end take in addition to that of the run, in seconds. */
  private static final double AROUND = 4;

  private static final double MIN = 3;

  /** The same run, taking so many seconds with the JVM's start and end. */
  ForkedRun taking(double seconds) {
    return new ForkedRun(mix, jdk, engine, settings.withSeconds(Math.max(MIN, seconds - AROUND)));
  }

  boolean isSampled() {
    return !engine.equals(NO_AGENT);
  }

  private boolean isOutside() {
    return engine.equals(OUTSIDE);
  }

  private boolean hasAgent() {
    return isSampled() && !isOutside();
  }

  private Map<String, Antagonist> antagonists() {
    return Antagonists.mix(mix);
  }

  /** Runs the JVM until it ends in whatever way, and reads what it left. */
  Outcome execute() throws IOException, InterruptedException {
    Path directory = fresh("%s-%d-%s".formatted(mix, jdk.feature(), engine));
    Board board = Board.open(directory.resolve(ChaosJvm.BOARD));
    ProcessBuilder builder = new ProcessBuilder(command(directory)).directory(directory.toFile());
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    long begin = System.nanoTime();
    Instant began = Instant.now();
    Process process =
        builder
            .redirectOutput(directory.resolve("out").toFile())
            .redirectError(directory.resolve("err").toFile())
            .start();
    Watch watch =
        new Watch(process, board, antagonists().size(), jdk, settings.hangSeconds(), directory);
    String failure = isOutside() ? recorded(watch, process, board, directory) : watch.untilEnd();
    double minutes = (System.nanoTime() - begin) / 60e9;
    Set<String> events = new TreeSet<>();
    antagonists().values().forEach(antagonist -> events.addAll(antagonist.countedEvents()));
    Recorded recorded = Recorded.nothing();
    try {
      recorded = Recorded.in(directory, events, began, Instant.now());
    } catch (IOException e) {
      failure = failure == null ? "no recording can be read: " + e.getMessage() : failure;
    }
    List<String> said =
        Files.readAllLines(directory.resolve(isOutside() ? RECORD_SAYS : "err")).stream()
            .filter(line -> line.startsWith(AGENT_SAYS))
            .toList();
    if (failure == null && isSampled()) {
      failure = agentFailure(recorded, said);
    }
    return new Outcome(
        this, minutes, rounds(board), done(board, recorded), recorded, said, failure, directory);
  }

  /** The run's failure or null, with the command beside it. */
  private String recorded(Watch watch, Process process, Board board, Path directory)
      throws IOException, InterruptedException {
    String failure = null;
    try {
      RecordBeside beside = record(process, board, directory);
      failure = watch.untilEnd();
      beside.end(0);
    } catch (IOException e) {
      failure = failure == null ? e.getMessage() : failure;
    } finally {
      process.destroyForcibly();
    }
    return failure;
  }

  /** Begins to sample the JVM from outside, and lets the antagonists begin. */
  private RecordBeside record(Process process, Board board, Path directory)
      throws IOException, InterruptedException {
    while (board.get(Board.WORKERS) == 0 && process.isAlive()) {
      Thread.sleep(LOOK_MILLIS);
    }
    ProcessHandle jvm = // a launcher may have it as its child
        Stream.concat(Stream.of(process.toHandle()), process.descendants())
            .filter(each -> each.info().command().orElse("").endsWith("/java"))
            .findFirst()
            .orElseThrow(() -> new IOException("there is no JVM"));
    String interval =
        antagonists().values().stream()
            .map(Antagonist::interval)
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(settings.interval());
    RecordBeside beside =
        RecordBeside.start(
            jvm.pid(),
            jdk.java(),
            settings.agent(),
            List.of(
                "--settings=none",
                "--interval=" + interval,
                "--output=" + directory.resolve("recording-outside.jfr")),
            directory.resolve(RECORD_SAYS));
    process.getOutputStream().close();
    return beside;
  }

  /** What went wrong with the agent or its samples, or null. */
  private String agentFailure(Recorded recorded, List<String> said) {
    if (said.stream().anyMatch(line -> line.contains("failure of the agent"))) {
      return "the agent failed: " + said;
    }
    if (recorded.samples == 0) {
      return "no samples " + recorded.reasons + " " + recorded.notes;
    }
    Set<String> others = new TreeSet<>(recorded.engines);
    others.removeAll(
        Set.of(isOutside() ? OUTSIDE_ENGINE : engine, "")); // none while it is switched off
    if (!engine.equals(ANY) && !others.isEmpty()) {
      return "sampled by " + recorded.engines + " " + recorded.reasons;
    }
    if (recorded.atOtherTimes > 0) {
      return recorded.atOtherTimes + " samples of times at which the JVM did not run";
    }
    if (recorded.ofChildren > 0) {
      return recorded.ofChildren + " samples of child processes";
    }
    return null;
  }

  private static long rounds(Board board) {
    long rounds = 0;
    for (int i = 0; i < Load.threads(); i++) {
      rounds += board.get(Board.WORKERS + i);
    }
    return rounds;
  }

  /** Counts of what the antagonists did, by name, and of the JFR events that they cause. */
  private Map<String, Long> done(Board board, Recorded recorded) {
    Map<String, Long> done = new LinkedHashMap<>();
    int place = 0;
    for (Antagonist antagonist : antagonists().values()) {
      Tally tally = board.tally(place++);
      List<String> counts = antagonist.counts();
      for (int i = 0; i < counts.size(); i++) {
        done.put(counts.get(i), tally.get(i));
      }
    }
    recorded.counted.forEach(done::put);
    return done;
  }

  private List<String> command(Path directory) throws IOException {
    List<String> command = new ArrayList<>();
    antagonists().values().forEach(antagonist -> command.addAll(antagonist.launcher()));
    command.add(jdk.java().toString());
    command.addAll(
        List.of(
            "-Xmx512m",
            "-Xlog:jfr+startup=off",
            "-XX:-CreateCoredumpOnCrash",
            "-XX:ErrorFile=" + directory.resolve("hs_err.log")));
    if (jdk.feature() >= 22) {
      command.add("--enable-native-access=ALL-UNNAMED"); // the samples' libraries, not the agent's
    }
    if (hasAgent()) {
      String options =
          antagonists().values().stream()
              .map(antagonist -> antagonist.agentOptions(directory))
              .filter(text -> !text.isEmpty())
              .collect(Collectors.joining(","));
      command.add("-javaagent:" + settings.agent() + (options.isEmpty() ? "" : "=" + options));
    }
    String interval = settings.interval();
    String asked = engine;
    boolean recording = true;
    StringBuilder start = new StringBuilder();
    for (Antagonist antagonist : antagonists().values()) {
      command.addAll(antagonist.jvmOptions(directory));
      antagonist.settings().forEach(setting -> start.append(',').append(setting));
      interval = antagonist.interval() == null ? interval : antagonist.interval();
      asked = antagonist.engineAsked(asked);
      recording &= !antagonist.records();
    }
    if (recording) {
      String ours =
          ",+stackweave.NativeSample#interval=%s,+stackweave.NativeSample#engine=%s"
              .formatted(interval, asked);
      command.add(
          "-XX:StartFlightRecording:filename="
              + directory.resolve("recording.jfr")
              + (hasAgent() ? ours : "")
              + start);
    }
    command.addAll(
        List.of(
            "-cp",
            settings.classPath(),
            ChaosJvm.class.getName(),
            results().toString(),
            mix,
            Double.toString(settings.seconds()),
            Integer.toString(settings.cycles()),
            hasAgent() ? asked : "",
            interval));
    if (isOutside()) {
      command.add(ChaosJvm.WAIT);
    }
    return command;
  }

  private Path results() {
    return settings.directory().resolve("results-" + jdk.feature());
  }

  /**
   * Writes the results of the load on this JDK without agent and antagonist.
   *
   * @throws IOException if there are none: then there is nothing to compare with
   */
  void writeResults() throws IOException, InterruptedException {
    Path err = fresh("results-of-" + jdk.feature()).resolve("err");
    List<String> command = new ArrayList<>(List.of(jdk.java().toString()));
    if (jdk.feature() >= 22) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.addAll(
        List.of("-cp", settings.classPath(), ChaosJvm.class.getName(), results().toString()));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(err.toFile())
            .start();
    if (process.waitFor() != 0) {
      throw new IOException(jdk + " does not run the load: " + Files.readAllLines(err));
    }
  }

  /** An empty directory of this name. */
  private Path fresh(String name) throws IOException {
    Path directory = Files.createDirectories(settings.directory().resolve(name));
    try (DirectoryStream<Path> old = Files.newDirectoryStream(directory)) {
      for (Path file : old) {
        Files.delete(file);
      }
    }
    return directory.toAbsolutePath();
  }
}
