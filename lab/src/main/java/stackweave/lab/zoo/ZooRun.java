package stackweave.lab.zoo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import stackweave.lab.Built;
import stackweave.testing.Jdk;

/**
 * One category on one JDK, sampled by the agent's engine, and in a JVM of its own by async-profiler
 * in the same way.
 *
 * @param engine of the agent: perf or timer
 * @param seconds of work that count
 * @param agent the agent's jar
 */
record ZooRun(Jdk jdk, Category category, String engine, double seconds, Path agent) {
  /** Time for the start of the JVM, the warm-up, and the end. */
  private static final long PATIENCE_SECONDS = 180;

  private static final Path APPS = Built.target().resolve("../zoo-apps/target").normalize();

  private static final String MAIN = "stackweave.lab.zoo.app.ZooJvm";

  /** Not quite the agent's interval, so that the two are not in step. */
  private static final long ASYNC_INTERVAL_NANOS = 973_000;

  /**
   * What came of it.
   *
   * @param failure why there is no result; null if there is one
   */
  record Result(ZooRun run, OwnRecording recording, Tally own, Tally async, String failure) {}

  Result execute(Path directory, Predicate<String> tailCalling)
      throws IOException, InterruptedException {
    String name = "%s-%d-%s".formatted(category.label(), jdk.feature(), engine);
    Path recording = directory.resolve(name + ".jfr");
    Path async = directory.resolve(name + "-async.jfr");
    List<String> sampled = new ArrayList<>();
    sampled.add("-javaagent:" + agent);
    sampled.add(
        "-XX:StartFlightRecording:filename=%s,+stackweave.NativeSample#interval=1ms,+stackweave.NativeSample#engine=%s"
            .formatted(recording, engine));
    try {
      finish(start(sampled, List.of(), directory.resolve(name + ".out")));
      finish(
          start(List.of(), List.of(asyncCommand(async)), directory.resolve(name + "-async.out")));
    } catch (IllegalStateException e) {
      return new Result(this, null, null, null, e.getMessage());
    }
    OwnRecording own = OwnRecording.read(recording);
    Tally ownTally = new Tally(category, tailCalling);
    ownTally.add(own.samples(category).stream().map(OwnRecording.Sample::stack).toList());
    Tally asyncTally = new Tally(category, tailCalling);
    asyncTally.add(
        AsyncRecording.samples(async, category).stream()
            .map(AsyncRecording.Sample::stack)
            .toList());
    return new Result(this, own, ownTally, asyncTally, null);
  }

  /** Its event that works as the agent's engine does. */
  String asyncCommand(Path file) {
    return "start,event=%s,cstack=vmx,interval=%d,jfr,loglevel=error,file=%s"
        .formatted(engine.equals("timer") ? "ctimer" : "cpu", ASYNC_INTERVAL_NANOS, file);
  }

  /** A JVM and where it writes to. */
  record Started(Process process, Path out) {}

  /** Starts the category's JVM. */
  Started start(List<String> options, List<String> arguments, Path out) throws IOException {
    List<String> command = new ArrayList<>(List.of(jdk.java().toString()));
    command.addAll(List.of("-Xmx1g", "-Xlog:jfr+startup=off"));
    if (jdk.feature() >= 22) {
      command.add("--enable-native-access=ALL-UNNAMED"); // the libraries', not the agent's
    }
    command.addAll(options);
    command.addAll(List.of("-cp", classPath(), MAIN, category.label(), "" + seconds));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder
        .environment()
        .keySet()
        .removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "OPENBLAS_CORETYPE"));
    return new Started(builder.redirectErrorStream(true).redirectOutput(out.toFile()).start(), out);
  }

  /** Waits for a JVM's end. */
  void finish(Started jvm) throws InterruptedException {
    if (!jvm.process().waitFor(PATIENCE_SECONDS + (long) seconds, TimeUnit.SECONDS)) {
      jvm.process().destroyForcibly().waitFor();
      throw new IllegalStateException("hangs, see " + shown(jvm.out()));
    }
    if (jvm.process().exitValue() != 0) {
      throw new IllegalStateException(
          "ended with %d, see %s".formatted(jvm.process().exitValue(), shown(jvm.out())));
    }
  }

  /** Where the libraries' jars are. */
  static Path libraries() {
    return APPS.resolve("lib");
  }

  /** A file of a run as it stands in a page: from the module's directory on. */
  static Path shown(Path file) {
    return Built.target().getParent().relativize(file);
  }

  private static String classPath() {
    if (!Files.isDirectory(libraries())) {
      throw new IllegalStateException(
          APPS + " is not built: mvn -Pzoo -DskipTests -pl lab/zoo-apps -am package");
    }
    return APPS.resolve("classes") + ":" + Built.classes() + ":" + libraries() + "/*";
  }
}
