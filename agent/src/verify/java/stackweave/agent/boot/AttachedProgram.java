package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.apps.BurnsCpu;
import stackweave.agent.apps.Waits;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.RunningCommand;

/** What tests of the command line on running JVMs share. */
abstract class AttachedProgram {
  /** Seconds that a program runs: longer than any test takes; the test ends it. */
  static final int RUNS = 900;

  @TempDir Path directory;
  final List<Process> started = new ArrayList<>();

  @AfterEach
  void endTargets() throws Exception {
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
  }

  Process startWaiting(Jvm jvm, String... options) throws Exception {
    return start(jvm, Waits.class, options);
  }

  /** A JVM that has only begun to start would be ended by an attach: one whose main() runs. */
  Process start(Jvm jvm, Class<?> main, String... options) throws Exception {
    List<String> arguments = new ArrayList<>(Arrays.asList(options));
    arguments.addAll(List.of("-cp", Jars.apps().toString(), main.getName(), "" + RUNS));
    Process process =
        jvm.start(directory, arguments)
            .redirectError(directory.resolve("target.txt").toFile())
            .start();
    started.add(process);
    assertEquals("running", process.inputReader().readLine());
    return process;
  }

  /** Attaches and detaches so often, and looks for what is left. */
  void attachAndDetach(Jvm jvm, int rounds) throws Exception {
    long pid = startWaiting(jvm).pid();
    int threads = threads(pid);
    assertFailed(command("status", pid), "no Stackweave agent in process " + pid + ".*");
    assertFailed(command("detach", pid), "no Stackweave agent in process " + pid + ".*");
    // A JVM cuts the path that it is told at '='.
    Path jar = Files.copy(Jars.AGENT, directory.resolve("date=2026-01-01.jar"));
    for (int round = 0; round < rounds; round++) {
      Ended attached = run(java(), "-jar", jar, "attach", pid);
      assertTrue(done(attached).startsWith("attached to " + pid));
      assertTrue(done(command("status", pid)).startsWith("state: dormant"));
      assertFailed(command("attach", pid), "process " + pid + ": an agent is there already");
      assertFailed(
          command("attach", pid, "interval=2ms"),
          "process "
              + pid
              + ": an agent is there already: its options stay, interval=2ms was not applied;"
              + " detach it first .*");
      assertEquals("detached from " + pid + "\n", done(command("detach", pid)));
      assertFailed(command("status", pid), "no Stackweave agent in process " + pid + ".*");
    }
    // The JVM has its attach listener now; nothing else is new, once what ends has ended.
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (threads(pid) > threads + 1 && System.nanoTime() < end) {
      Thread.sleep(50);
    }
    assertTrue(threads(pid) <= threads + 1, "threads left: " + threads(pid) + " of " + threads);
    assertFalse(fileNames(pid).contains("inner"), fileNames(pid));
  }

  /** By the machine's root, from outside. */
  void recordInContainer(Jvm jvm) throws Exception {
    assumeTrue(uid().equals("0"), "only root makes namespaces");
    Path apps = Files.createTempDirectory(Path.of("/var/tmp"), "stackweave-apps");
    try {
      copyClass(BurnsCpu.class, apps);
      Process unshare =
          Container.start(jvm, apps, BurnsCpu.class, RUNS, directory.resolve("container.txt"));
      started.add(unshare);
      assertEquals("running", unshare.inputReader().readLine());
      long pid = javaBelow(unshare);
      Path recording = directory.resolve("rec.jfr");
      RunningCommand record =
          RunningCommand.start(
              new ProcessBuilder(
                  ForkedJvm.agentCommand(
                      jvm.jdk(),
                      "record",
                      pid,
                      "-d5m",
                      "--inside",
                      "-o",
                      recording,
                      "--interval=1ms")),
              directory);
      started.add(record.process());
      RecordedProgram.awaitSampling(pid);
      RecordedProgram.awaitSamples(pid);
      RecordedProgram.interrupt(record);
      assertTrue(RecordedProgram.isSampled(recording), "no sample of the application");
      assertEquals(List.of(), leftIn(Path.of("/proc/" + pid + "/root/tmp/.stackweave-65534")));
      Ended foreign =
          run(
              "setpriv",
              "--reuid",
              "1000",
              "--regid",
              "1000",
              "--clear-groups",
              java(),
              "--enable-native-access=ALL-UNNAMED", // which the jar's manifest says for -jar
              "-cp",
              readableJar(apps),
              "stackweave.agent.boot.Command",
              "status",
              Long.toString(pid));
      assertFailed(foreign, "process " + pid + " belongs to another user .*");
    } finally {
      endTargets();
      deleteAll(apps);
    }
  }

  static long javaBelow(Process unshare) {
    return unshare
        .descendants()
        .filter(child -> child.info().command().orElse("").endsWith("/java"))
        .findFirst()
        .orElseThrow()
        .pid();
  }

  Ended command(String name, long pid, Object... more) throws Exception {
    List<Object> all = new ArrayList<>(List.of(name, pid));
    all.addAll(Arrays.asList(more));
    return run(ForkedJvm.agentCommand(all.toArray()));
  }

  static Ended run(Object... command) throws IOException, InterruptedException {
    return Commands.run(command);
  }

  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  static String done(Ended result) {
    assertEquals(0, result.exit(), result.err());
    return result.out();
  }

  static void assertFailed(Ended result, String line) {
    assertEquals(2, result.exit(), result.out() + result.err());
    assertEquals(1, result.err().lines().count(), result.err());
    assertTrue(result.err().strip().matches("stackweave: " + line), result.err());
  }

  static String uid() throws IOException {
    return Files.getAttribute(Path.of("/proc/self"), "unix:uid").toString();
  }

  static int threads(long pid) throws IOException {
    try (Stream<Path> tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
      return (int) tasks.count();
    }
  }

  static String fileNames(long pid) throws IOException {
    try (Stream<Path> fds = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      return fds.map(
              fd -> {
                try {
                  return Files.readSymbolicLink(fd).toString();
                } catch (IOException e) {
                  return ""; // closed meanwhile
                }
              })
          .collect(Collectors.joining("\n"));
    }
  }

  static List<String> leftIn(Path exchange) throws IOException {
    if (!Files.exists(exchange)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(exchange)) {
      return files.map(Path::toString).toList();
    }
  }

  static void copyClass(Class<?> type, Path directory) throws IOException {
    String name = type.getName().replace('.', '/') + ".class";
    Files.createDirectories(directory.resolve(name).getParent());
    Files.copy(Jars.apps().resolve(name), directory.resolve(name));
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.toList()) {
        path.toFile().setReadable(true, false);
        path.toFile().setExecutable(Files.isDirectory(path), false);
      }
    }
  }

  static Path readableJar(Path directory) throws IOException {
    Path copy = directory.resolve("agent.jar");
    Files.copy(Jars.AGENT, copy);
    copy.toFile().setReadable(true, false);
    return copy;
  }

  static void deleteAll(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
