package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import stackweave.agent.apps.BurnsCpu;
import stackweave.jfr.read.SampledRecording;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.RunningCommand;

/**
 * A JVM of its own for each test of {@code record}, and what the command says of it. The JVM has a
 * temporary directory of its own, so that what is left in it is seen.
 */
abstract class RecordedProgram {
  private static final Pattern TAKEN = Pattern.compile("samples: (\\d+) taken");

  /** Seconds that a program runs: longer than any test takes; the test ends it. */
  static final int RUNS = 900;

  /** CPU time of a program in which there are samples of it, even where few ticks are delivered. */
  static final long WORK_NANOS = 500_000_000;

  private static final int SIGTERM_EXIT = 128 + 15;

  static final String ENDED = "the program ended after [\\d.]+ s of 5 min; saved .*";
  static final String KILLED =
      "the program was killed or crashed after [\\d.]+ s of 5 min; saved .* chunks? of /.*";

  Path directory;
  Path temporary;
  final List<Process> started = new ArrayList<>();

  @BeforeEach
  void prepare() throws Exception {
    directory = Files.createTempDirectory(Path.of("/var/tmp"), "stackweave record'");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    temporary = Files.createDirectory(directory.resolve("tmp of it"));
  }

  @AfterEach
  void cleanUp() throws Exception {
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  static Jvm last() {
    return Jvm.all().reduce((first, second) -> second).orElseThrow();
  }

  Process start(Jvm jvm, int seconds, String... options) throws Exception {
    List<String> arguments = new ArrayList<>(Arrays.asList(options));
    arguments.add("-Djava.io.tmpdir=" + temporary);
    arguments.addAll(
        List.of("-cp", Jars.apps().toString(), BurnsCpu.class.getName(), "" + seconds));
    Process process =
        jvm.start(directory, arguments)
            .redirectError(directory.resolve("target.txt").toFile())
            .start();
    started.add(process);
    assertEquals("running", process.inputReader().readLine());
    return process;
  }

  /**
   * Records until there are samples of the program, however long that takes, and ends the command
   * by SIGTERM, by which it ends as by Ctrl-C.
   */
  Ended recordSamples(long pid, Object... options) throws Exception {
    RunningCommand record = beginRecord(pid, options);
    awaitSampling(pid);
    awaitSamples(pid);
    return interrupt(record);
  }

  /** Inside, where the agent's status says how far it is. */
  RunningCommand beginRecord(long pid, Object... options) throws IOException {
    List<Object> words = new ArrayList<>(List.of("record", pid, "-d", "5m", "--inside"));
    words.addAll(Arrays.asList(options));
    return begin(words.toArray());
  }

  static Ended interrupt(RunningCommand command) throws Exception {
    command.process().destroy();
    Ended ended = command.end();
    assertEquals(SIGTERM_EXIT, ended.exit(), ended.err());
    return ended;
  }

  static void awaitSampling(long pid) throws Exception {
    awaitRecordings(pid, 1);
  }

  /** Waits until so many commands record. */
  static void awaitRecordings(long pid, int count) throws Exception {
    String sampling = "state: sampling for recording ";
    awaitStatus(
        pid,
        status ->
            status.startsWith(sampling)
                && status.lines().findFirst().get().split("stackweave-record-").length > count);
  }

  /** Waits until there are samples of the program itself, and not of the JVM's threads alone. */
  static void awaitSamples(long pid) throws Exception {
    awaitStatus(pid, status -> TAKEN.matcher(status).find() && taken(status) > 0);
    long enough = LiveJvm.cpuNanos(pid, "java") + WORK_NANOS; // as the kernel calls its main thread
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (LiveJvm.cpuNanos(pid, "java") < enough) {
      assertTrue(System.nanoTime() < end, "the program gets no CPU");
      Thread.sleep(50);
    }
  }

  void awaitDormant(long pid) throws Exception {
    awaitStatus(pid, status -> status.startsWith("state: dormant"));
    assertTrue(command("status", pid).out().startsWith("state: dormant"));
  }

  static void awaitStatus(long pid, Predicate<String> wanted) throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    String status = "";
    while (System.nanoTime() < end) {
      status = status(pid);
      if (wanted.test(status)) {
        return;
      }
      Thread.sleep(50);
    }
    throw new AssertionError("never so: " + status);
  }

  /** What the command status prints, without a JVM for the command. */
  static String status(long pid) throws Exception {
    VirtualMachine target = LiveJvm.attach(pid);
    try {
      return target.getAgentProperties().getProperty("stackweave.status", "");
    } finally {
      target.detach();
    }
  }

  /** JFR writes once a second what it has: waits until it has done so twice, below a directory. */
  static void awaitFlushes(Path below) throws Exception {
    long before = chunkBytes(below);
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    for (int flushes = 0; flushes < 2; Thread.sleep(50)) {
      assertTrue(System.nanoTime() < end, "JFR writes nothing below " + below);
      long now = chunkBytes(below);
      flushes += now > before ? 1 : 0;
      before = now;
    }
  }

  static long chunkBytes(Path below) throws IOException {
    long bytes = 0;
    try (Stream<Path> all = Files.walk(below)) {
      for (Path path : all.filter(file -> file.toString().endsWith(".jfr")).toList()) {
        bytes += Files.size(path);
      }
    } catch (UncheckedIOException | NoSuchFileException e) {
      return chunkBytes(below); // something else went meanwhile
    }
    return bytes;
  }

  /** Waits until what a command has printed so far is so. */
  static void awaitOut(RunningCommand command, Predicate<String> wanted) throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    for (String out = ""; !wanted.test(out); out = Files.readString(command.out())) {
      assertTrue(
          command.process().isAlive() && System.nanoTime() < end,
          out + Files.readString(command.err()));
      Thread.sleep(50);
    }
  }

  /** What a command that was told to record for five minutes has said and left. */
  void assertSaved(RunningCommand record, String message) throws Exception {
    Ended result = record.end();
    assertEquals(0, result.exit(), result.err());
    String said = result.err().lines().findFirst().orElseThrow();
    assertTrue(said.matches("stackweave: " + message), said);
    assertTrue(isSampled("rec.jfr"), "no sample of the program");
    assertNothingIsLeft();
  }

  static long taken(String text) {
    Matcher matcher = TAKEN.matcher(text);
    assertTrue(matcher.find(), text);
    return Long.parseLong(matcher.group(1));
  }

  boolean isSampled(String recording) throws Exception {
    return isSampled(directory.resolve(recording));
  }

  /** Whether a recording has a sample of the program. */
  static boolean isSampled(Path recording) throws Exception {
    boolean[] found = new boolean[1];
    SampledRecording.open(recording)
        .forEachStack(
            (thread, end, frames, count, weight) ->
                found[0] |= frames.stream().anyMatch(f -> f.text().endsWith("BurnsCpu.main")));
    return found[0];
  }

  String stacks(String recording) throws Exception {
    Ended result = run(ForkedJvm.agentCommand("collapsed", directory.resolve(recording)));
    assertEquals(0, result.exit(), result.err());
    return result.out();
  }

  void assertNothingIsLeft() throws IOException {
    try (Stream<Path> all = Files.walk(temporary)) {
      List<Path> left = all.filter(Files::isRegularFile).filter(file -> !isOfJvm(file)).toList();
      assertEquals(List.of(), left);
    }
  }

  /** What a JVM that was killed leaves: its counters, and JFR's repository. */
  static boolean isOfJvm(Path file) {
    return !file.getParent().getFileName().toString().startsWith(".stackweave-");
  }

  RunningCommand begin(Object... arguments) throws IOException {
    return beginAny(ForkedJvm.agentCommand(arguments));
  }

  RunningCommand beginAny(Object... command) throws IOException {
    List<String> words = Arrays.stream(command).map(Object::toString).toList();
    RunningCommand begun =
        RunningCommand.start(new ProcessBuilder(words).directory(directory.toFile()), directory);
    started.add(begun.process());
    return begun;
  }

  Ended command(Object... arguments) throws Exception {
    return begin(arguments).end();
  }

  Ended run(Object... command) throws Exception {
    return beginAny(command).end();
  }

  static void assertFailed(Ended result, String line) {
    assertEquals(2, result.exit(), result.out() + result.err());
    assertEquals(1, result.err().lines().count(), result.err());
    assertTrue(result.err().strip().matches("stackweave: " + line), result.err());
    assertFalse(result.err().contains("null"), result.err());
  }

  static boolean isRoot() throws IOException {
    return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
  }
}
