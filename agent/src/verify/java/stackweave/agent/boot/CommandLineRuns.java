package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import stackweave.agent.apps.BurnsWhenTold;
import stackweave.agent.apps.Hello;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;

/** A recording, and the command line on it. */
@ResourceLock("CommandLineRuns") // its files are those of a class at a time
abstract class CommandLineRuns {
  static final Pattern COLLAPSED = Pattern.compile("[^;]+(;[^;]+)* [1-9]\\d*");

  @TempDir static Path directory;

  static Stream<Jvm> jvms() {
    return Jvm.all();
  }

  NavigableSet<Instant> times(String recording, String type) throws IOException {
    return RecordingFile.readAllEvents(directory.resolve(recording)).stream()
        .filter(event -> event.getEventType().getName().equals(type))
        .map(RecordedEvent::getStartTime)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** What a command says whose reader has enough before the first byte, as head may. */
  String endsWithItsReader(Jvm jvm, String export) throws Exception {
    List<String> words =
        ForkedJvm.agentCommand(jvm.jdk(), export, directory.resolve("rec.jfr"), "-o", "-");
    Process shell = new ProcessBuilder("sh", "-c", String.join(" ", words) + " | true").start();
    String said = new String(shell.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    shell.waitFor();
    return said.lines().filter(line -> !isOfLoad(line)).collect(Collectors.joining("\n"));
  }

  static void recordWithoutJava(Path file) throws IOException {
    SessionInfo info = new SessionInfo("", "", "0=native", "0=complete", "0", "0=on CPU");
    try (Recording recording = new Recording();
        EventStore store = EventStore.open(info, StoreLimits.DEFAULT)) {
      recording.start();
      long thread = store.thread(1, "main", 1, false, 0, null);
      long method = store.method(MethodDefinition.symbol(0, "main", 0));
      long node = store.node(EventStore.ROOT, method, 0, -1, 1);
      for (int i = 0; i < 500; i++) {
        store.sample(System.nanoTime(), thread, 0, 10_000_000, node, 0, 0);
      }
      store.flush();
      recording.dump(file);
    }
  }

  static void recordWaiting(Path file) throws IOException {
    SessionInfo info = new SessionInfo("", "", "0=native", "0=complete", "0", ThreadState.legend());
    try (Recording recording = new Recording();
        EventStore store = EventStore.open(info, StoreLimits.DEFAULT)) {
      recording.enable(WallSample.NAME);
      recording.start();
      long thread = store.thread(1, "main", 1, false, 0, null);
      long main = store.method(MethodDefinition.symbol(0, "main", 0));
      long read = store.method(MethodDefinition.symbol(0, "read", 0));
      long node = store.node(EventStore.ROOT, main, 0, -1, 1);
      long wait = store.node(node, read, 0, -1, 1);
      for (int i = 0; i < 500; i++) {
        store.sample(System.nanoTime(), thread, 0, 10_000_000, node, 0, 0);
      }
      int socket = ThreadState.SOCKET.code();
      for (int i = 0; i < 70; i++) {
        store.wallSample(System.nanoTime(), thread, socket, 100_000_000, wait, 0, 0);
      }
      store.flush();
      recording.dump(file);
    }
  }

  static boolean isRow(String line, String shares, String name) {
    return line.endsWith("  " + name) && line.strip().replaceAll(" +", " ").startsWith(shares);
  }

  /** What is said of a recording for the machine alone: it was slow, or busy with others. */
  static boolean isOfLoad(String line) {
    return line.matches(".*: (sampling began |\\d+ samples only|drain thread ).*");
  }

  /** The rows below a heading, in their order. */
  static Set<String> rows(String top, String heading) {
    Set<String> rows = new LinkedHashSet<>();
    boolean within = false;
    for (String line : top.split("\n")) {
      if (within && line.isEmpty()) {
        break;
      }
      if (within && !line.matches(".*  in [\\d,]+ more [a-z]+")) {
        rows.add(line.strip().replaceAll(" {2,}", "  "));
      }
      within |= line.endsWith("  " + heading);
    }
    return rows;
  }

  static String row(Long self, long total, long all, String name) {
    String own = share(self == null ? 0 : self, all);
    return own + (share(total, all).length() == 7 ? " " : "  ") + share(total, all) + "  " + name;
  }

  static String share(long part, long all) {
    double percent = 100.0 * part / all;
    if (part > 0 && percent < 0.05) {
      return "<0.1 %";
    }
    return part < all && percent >= 99.95
        ? ">99.9 %"
        : String.format(Locale.ROOT, "%.1f %%", percent);
  }

  static String library(String frame) {
    if (frame.endsWith("]") && frame.contains(" [")) {
      String module = frame.substring(frame.lastIndexOf(" [") + 2, frame.length() - 1);
      return libraryNamed(module.replaceFirst("\\+0x[0-9a-f]+$", ""));
    }
    if (frame.matches("\\S+\\+0x[0-9a-f]+(\\.\\.0x[0-9a-f]+)?")) {
      return libraryNamed(frame.replaceFirst("\\+0x[0-9a-f.x]+$", ""));
    }
    if (frame.equals("[kernel]")) {
      return "kernel";
    }
    return frame.contains(".") ? "Java" : "JVM (stubs, interpreter)";
  }

  static String libraryNamed(String name) {
    return name.equals("libjvm.so") ? "JVM (libjvm.so)" : name;
  }

  static void assertFailed(String message, Ended result) {
    assertEquals("", result.out());
    assertEquals(1, result.err().lines().count(), result.err());
    assertTrue(result.err().matches("stackweave: (" + message + ")\n"), result.err());
    assertEquals(2, result.exit());
  }

  static boolean isCollapsed(String line) {
    return COLLAPSED.matcher(line).matches();
  }

  static long count(String collapsed) {
    return collapsed
        .lines()
        .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /**
   * One of a program that began to work when it was sampled, and had 200 samples of that, or as
   * many as the machine delivers in so much CPU time; its work is most of what there is.
   */
  void recordWithAgent(Jvm jvm) throws Exception {
    Path made = directory.resolve(jvm.feature() + "-rec.jfr");
    if (!Files.exists(made)) {
      List<String> arguments =
          List.of(
              "-javaagent:" + Jars.AGENT,
              "-Xlog:jfr+startup=off",
              "-XX:StartFlightRecording:filename="
                  + made
                  + ",+stackweave.NativeSample#interval=2ms",
              "-cp",
              Jars.apps().toString(),
              BurnsWhenTold.class.getName());
      try (LiveJvm live = LiveJvm.start(jvm, directory, arguments, new ArrayList<>())) {
        live.awaitStatus("sampling", status -> status.startsWith("state: sampling"));
        live.tell("work", "burning");
        live.awaitSamplesOf("java", Duration.ofSeconds(1)); // as the kernel calls its main thread
        live.awaitMostOfCpu("java");
        live.awaitSamples(200);
        live.end().successfully();
      }
    }
    Files.copy(made, directory.resolve("rec.jfr"), StandardCopyOption.REPLACE_EXISTING);
  }

  /** A recording of a program that ends at once, without an agent. */
  void provideWithoutSamples(Jvm jvm) throws Exception {
    Path made = directory.resolve(jvm.feature() + "-without.jfr");
    if (!Files.exists(made)) {
      jvm.run(
              directory,
              List.of(
                  "-XX:StartFlightRecording:filename=" + made,
                  "-cp",
                  Jars.apps().toString(),
                  Hello.class.getName()))
          .successfully();
    }
    Files.copy(made, directory.resolve("without.jfr"), StandardCopyOption.REPLACE_EXISTING);
  }

  Ended commandLine(Jvm jvm, String... arguments) throws Exception {
    return jvm.commandLine(directory, arguments);
  }
}
