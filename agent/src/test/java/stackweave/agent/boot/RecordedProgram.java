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

  /** Time in which a program gets as much on a machine that is busy, or stops for two seconds. */
  static final String SAMPLED = "4s";

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

  void awaitSampling(long pid) throws Exception {
    awaitStatus(
        pid, status -> status.startsWith("state: sampling for recording stackweave-record-"));
  }

  /** Waits until there are samples of the program itself, and not of the JVM's threads alone. */
  void awaitSamples(long pid) throws Exception {
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

  void awaitStatus(long pid, Predicate<String> wanted) throws Exception {
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
    VirtualMachine target = VirtualMachine.attach(Long.toString(pid));
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

  static long taken(String text) {
    Matcher matcher = TAKEN.matcher(text);
    assertTrue(matcher.find(), text);
    return Long.parseLong(matcher.group(1));
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
