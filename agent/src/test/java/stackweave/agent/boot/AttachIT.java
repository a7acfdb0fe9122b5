package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.BurnsCpu;
import stackweave.agent.apps.Waits;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;

/** The command line on running JVMs: attach, record, status, detach, and whatever can be wrong. */
@Order(4)
class AttachIT {

  /** Seconds that a program runs: longer than any test takes; the test ends it. */
  private static final int RUNS = 900;

  /** Time in which there are samples on a machine that is busy, or stops for two seconds. */
  private static final String SAMPLED = "4s";

  @TempDir private Path directory;
  private final List<Process> started = new ArrayList<>();

  static Stream<Jvm> jvms() {
    return Jvm.all();
  }

  @AfterEach
  void endTargets() throws Exception {
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void attachesOnceAndDetachesWithoutATrace(Jvm jvm) throws Exception {
    long pid = startWaiting(jvm).pid();
    int threads = threads(pid);
    assertFailed(command("status", pid), "no Stackweave agent in process " + pid + ".*");
    assertFailed(command("detach", pid), "no Stackweave agent in process " + pid + ".*");
    for (int round = 0; round < 2; round++) {
      assertTrue(done(command("attach", pid)).startsWith("attached to " + pid));
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

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void recordsAndLeavesNoAgentWhereNoneWas(Jvm jvm) throws Exception {
    // A temporary directory of its own: in that of the machine other tests' files may be.
    Path temporary = Files.createDirectory(directory.resolve("tmp"));
    long pid = start(jvm, BurnsCpu.class, "-Djava.io.tmpdir=" + temporary).pid();
    Path recording = directory.resolve("rec.jfr");
    Ended result =
        command("record", pid, "-d", SAMPLED, "-o", recording, "--interval=1ms", "--settings=none");
    assertEquals(0, result.exit(), result.err());
    assertTrue(result.err().contains("interval: 1 ms of CPU time"), result.err());
    assertTrue(stacks(recording).contains("BurnsCpu.main"), "no sample of the application");
    assertFailed(command("status", pid), "no Stackweave agent.*");
    assertEquals(List.of(), leftIn(temporary.resolve(".stackweave-" + uid())));
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Container#publicJvms")
  void recordsInAContainerOfAnotherUser(Jvm jvm) throws Exception {
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
      Ended result =
          command(
              "record", pid, "-d", SAMPLED, "-o", recording, "--settings=none", "--interval=1ms");
      assertEquals(0, result.exit(), result.err());
      assertTrue(stacks(recording).contains("BurnsCpu.main"), "no sample of the application");
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

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void whatIsWrongIsSaidInOneLine(Jvm jvm) throws Exception {
    assertFailed(command("attach", 999_999_999), "there is no process 999999999");
    Process sleep = new ProcessBuilder("sleep", "900").start();
    started.add(sleep);
    assertFailed(command("attach", sleep.pid()), "process \\d+ is no JVM .*");
    assertTrue(sleep.isAlive(), "SIGQUIT was sent to it");
    long deaf = startWaiting(jvm, "-Xrs").pid();
    assertFailed(command("attach", deaf), ".*does not take attach requests.*");
    long refusing = startWaiting(jvm, "-XX:+DisableAttachMechanism").pid();
    assertFailed(command("attach", refusing), ".*can't be attached to .*");
    long bare = startWaiting(jvm, "--limit-modules=java.base,java.instrument").pid();
    assertFailed(command("attach", bare), ".*without JDK Flight Recorder.*");
    long good = startWaiting(jvm).pid();
    assertFailed(command("attach", good, "intervall=1ms"), ".*unknown option 'intervall'.*");
    assertFailed(command("record", good, "-o", "/nowhere/rec.jfr"), "can't write /nowhere.*");
    assertFailed(command("record", good, "-d", "soon"), ".*'soon' is no time.*");
    assertFailed(command("record", good, "--settings=odd"), ".*no JFR configuration 'odd'.*");
    assertFailed(command("status", good), "no Stackweave agent.*");
  }

  @Test
  void anAgentOfTheCommandLineIsFoundWithoutLoadingAnything() throws Exception {
    Jvm jvm = Jvm.all().reduce((first, second) -> second).orElseThrow();
    Process target = startWaiting(jvm, "-javaagent:" + Jars.AGENT);
    assertTrue(done(command("status", target.pid())).startsWith("state: dormant"));
    target.getOutputStream().close();
    assertTrue(target.waitFor(5, TimeUnit.MINUTES));
    assertEquals("", Files.readString(directory.resolve("target.txt")));
  }

  @Test
  void anotherVersionIsNotMixedWithOurs() throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    Path other =
        Jars.agentWith(
            directory,
            Map.of("stackweave/stackweave/agent/version.txt", "0.0.1".getBytes("US-ASCII")));
    long pid = startWaiting(jvm, "-javaagent:" + other).pid();
    assertFailed(command("detach", pid), ".*has version 0\\.0\\.1, this jar .*");
  }

  @Test
  void theShippedSettingsAreAConfiguration() throws Exception {
    Path file = directory.resolve("stackweave.jfc");
    assertEquals(0, run(ForkedJvm.agentCommand("jfc", "-o", file)).exit());
    Configuration configuration = Configuration.create(file);
    assertEquals("true", configuration.getSettings().get("stackweave.NativeSample#enabled"));
    assertEquals("false", configuration.getSettings().get("jdk.ExecutionSample#enabled"));
    assertNull(configuration.getSettings().get("stackweave.WallSample#enabled"));
    assertEquals(0, run(ForkedJvm.agentCommand("jfc", "-o", file, "--wall=50ms")).exit());
    configuration = Configuration.create(file);
    assertEquals("true", configuration.getSettings().get("stackweave.WallSample#enabled"));
    assertEquals("50ms", configuration.getSettings().get("stackweave.WallSample#interval"));
    assertEquals("true", configuration.getSettings().get("stackweave.NativeSample#enabled"));
    assertNull(configuration.getSettings().get("stackweave.Blocked#enabled"));
    assertEquals(0, run(ForkedJvm.agentCommand("jfc", "-o", file, "--blocked=8ms")).exit());
    configuration = Configuration.create(file);
    assertEquals("true", configuration.getSettings().get("stackweave.Blocked#enabled"));
    assertEquals("8ms", configuration.getSettings().get("stackweave.Blocked#threshold"));
    assertNull(configuration.getSettings().get("stackweave.WallSample#enabled"));
    String function = "--event=libfoo.so:foo_open";
    assertEquals(0, run(ForkedJvm.agentCommand("jfc", "-o", file, function)).exit());
    configuration = Configuration.create(file);
    assertEquals(
        "libfoo.so:foo_open", configuration.getSettings().get("stackweave.NativeSample#event"));
    assertNull(configuration.getSettings().get("stackweave.NativeSample#interval"));
    assertEquals("auto", configuration.getSettings().get("stackweave.NativeSample#engine"));
    for (String option : List.of("--wall=1us", "--blocked=1us")) {
      Ended wrong = run(ForkedJvm.agentCommand("jfc", option));
      assertFailed(wrong, ".*'1us' is not a time from 1ms to 60s.*");
    }
  }

  private Process startWaiting(Jvm jvm, String... options) throws Exception {
    return start(jvm, Waits.class, options);
  }

  /** A JVM that has only begun to start would be ended by an attach: one whose main() runs. */
  private Process start(Jvm jvm, Class<?> main, String... options) throws Exception {
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

  private static long javaBelow(Process unshare) {
    return unshare
        .descendants()
        .filter(child -> child.info().command().orElse("").endsWith("/java"))
        .findFirst()
        .orElseThrow()
        .pid();
  }

  private Ended command(String name, long pid, Object... more) throws Exception {
    List<Object> all = new ArrayList<>(List.of(name, pid));
    all.addAll(Arrays.asList(more));
    return run(ForkedJvm.agentCommand(all.toArray()));
  }

  private static Ended run(Object... command) throws IOException, InterruptedException {
    return Commands.run(command);
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private String stacks(Path recording) throws Exception {
    return done(run(ForkedJvm.agentCommand("collapsed", recording)));
  }

  private static String done(Ended result) {
    assertEquals(0, result.exit(), result.err());
    return result.out();
  }

  private static void assertFailed(Ended result, String line) {
    assertEquals(2, result.exit(), result.out() + result.err());
    assertEquals(1, result.err().lines().count(), result.err());
    assertTrue(result.err().strip().matches("stackweave: " + line), result.err());
  }

  private static String uid() throws IOException {
    return Files.getAttribute(Path.of("/proc/self"), "unix:uid").toString();
  }

  private static int threads(long pid) throws IOException {
    try (Stream<Path> tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
      return (int) tasks.count();
    }
  }

  private static String fileNames(long pid) throws IOException {
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

  private static List<String> leftIn(Path exchange) throws IOException {
    if (!Files.exists(exchange)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(exchange)) {
      return files.map(Path::toString).toList();
    }
  }

  private static void copyClass(Class<?> type, Path directory) throws IOException {
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

  private static Path readableJar(Path directory) throws IOException {
    Path copy = directory.resolve("agent.jar");
    Files.copy(Jars.AGENT, copy);
    copy.toFile().setReadable(true, false);
    return copy;
  }

  private static void deleteAll(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
