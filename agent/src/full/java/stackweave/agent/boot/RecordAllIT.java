package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.apps.Works;
import stackweave.engine.CpuSet;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.read.Sample;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.jvm.JvmFacts;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.RunningCommand;

/** {@code record --all}: JVMs that come and go, of several users, JDKs and pid namespaces. */
class RecordAllIT {
  /** Those that docs/containers.md names; 38 is PERFMON, 39 is BPF. */
  private static final String CAPABILITIES =
      "-all,+sys_ptrace,+dac_read_search,+setuid,+setgid,+cap_38,+cap_39";

  private static final int USER = 64_123;
  private static final int OTHER = 64_124;
  private static final Path OFF = Path.of("/tmp/.stackweave-" + USER);
  private static final long CPU_NANOS = 1_500_000_000L;
  private static final long PATIENCE_NANOS = 300_000_000_000L;
  private static final double COMPLETE = 0.995;

  @TempDir Path directory;
  private final String mark = "many" + ProcessHandle.current().pid();
  private final List<Process> started = new ArrayList<>();
  private RunningCommand command;

  @BeforeEach
  void look() throws IOException {
    assumeTrue(Files.isReadable(Path.of("/proc/1/mem")), "only root samples other users' JVMs");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path apps = Files.createDirectories(directory.resolve("apps/stackweave/agent/apps"));
    try (Stream<Path> classes = Files.list(Jars.apps().resolve("stackweave/agent/apps"))) {
      for (Path each : classes.toList()) {
        Files.copy(each, apps.resolve(each.getFileName().toString()));
      }
    }
  }

  @AfterEach
  void end() throws Exception {
    if (command != null) {
      command.kill();
    }
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    Files.deleteIfExists(OFF.resolve("off"));
    Files.deleteIfExists(OFF);
  }

  /** Starts a JVM with a busy thread of that name; returns the JVM's process. */
  private ProcessHandle start(Jvm jvm, String name, String... wrapper) throws Exception {
    List<String> words = new ArrayList<>(List.of(wrapper));
    words.addAll(
        List.of(
            jvm.home().resolve("bin/java").toString(),
            "-Xmx64m",
            "-XX:+UseSerialGC",
            "-cp",
            directory.resolve("apps").toString(),
            Works.class.getName(),
            "-" + mark + name));
    ProcessBuilder builder =
        new ProcessBuilder(words)
            .directory(Path.of("/").toFile())
            .redirectError(directory.resolve(name + ".txt").toFile());
    builder.environment().put("OTEL_SERVICE_NAME", "service of " + name);
    Process process = builder.start();
    started.add(process);
    assertEquals(
        "ready",
        process.inputReader().readLine(),
        () -> name + ": " + text(directory.resolve(name + ".txt")));
    return process.children().findFirst().orElse(process.toHandle());
  }

  private static String[] as(int user) {
    return new String[] {"setpriv", "--reuid", "" + user, "--regid", "" + user, "--clear-groups"};
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private void begin(String... options) throws IOException {
    beginFor("5m", options);
  }

  private void beginFor(String time, String... options) throws IOException {
    List<Object> words =
        new ArrayList<>(List.of("record", "--all", "-d", time, "--match", "Works -" + mark));
    words.addAll(List.of(options));
    List<String> permitted = new ArrayList<>(List.of("setpriv", "--bounding-set", CAPABILITIES));
    permitted.addAll(ForkedJvm.agentCommand(newest().jdk(), words.toArray()));
    command =
        RunningCommand.start(
            new ProcessBuilder(permitted).directory(directory.toFile()), directory);
  }

  private static Jvm newest() {
    return Container.publicJvms().reduce((first, second) -> second).orElseThrow();
  }

  private static Jvm oldest() {
    return Container.publicJvms().findFirst().orElseThrow();
  }

  private void awaitSaid(String text) throws Exception {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!text(command.err()).contains(text)) {
      assertTrue(command.process().isAlive() && System.nanoTime() < end, text(command.err()));
      Thread.sleep(50);
    }
  }

  private static void awaitCpu(ProcessHandle jvm) throws Exception {
    SampledProcess process = SampledProcess.other((int) jvm.pid());
    long enough = process.cpuNanos() + CPU_NANOS;
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (process.cpuNanos() < enough) {
      assertTrue(jvm.isAlive() && System.nanoTime() < end, "the program gets no CPU");
      Thread.sleep(50);
    }
  }

  private void awaitSampled(ProcessHandle jvm) throws Exception {
    awaitSaid("process " + jvm.pid() + ": recording begins");
    awaitCpu(jvm);
  }

  private Ended interrupt() throws Exception {
    command.process().destroy();
    Ended ended = command.end();
    assertEquals(128 + 15, ended.exit(), ended.err());
    return ended;
  }

  private List<Sample> samples(ProcessHandle jvm) throws Exception {
    List<Sample> samples = new ArrayList<>();
    SampledRecording.open(directory.resolve("rec-" + jvm.pid() + ".jfr"))
        .forEachSample(samples::add);
    return samples;
  }

  /** All samples are this JVM's, with names and complete stacks. */
  private void assertIsOf(ProcessHandle jvm, String name) throws Exception {
    List<Sample> samples = samples(jvm);
    String said = name + ": " + samples.size() + " samples; " + text(command.err());
    Set<String> busy =
        samples.stream()
            .map(sample -> sample.thread().name())
            .filter(thread -> thread.startsWith("busy"))
            .collect(Collectors.toSet());
    assertEquals(Set.of("busy-" + mark + name), busy, said);
    assertTrue(samples.stream().allMatch(sample -> sample.session().pid() == pidThere(jvm)), said);
    JvmFacts facts =
        JvmFacts.read(directory.resolve("rec-" + jvm.pid() + ".jfr"))
            .get(samples.get(0).session().uuid());
    assertEquals("service of " + name, facts.environment().get("OTEL_SERVICE_NAME"));
    List<Sample> burning =
        samples.stream().filter(sample -> sample.thread().name().startsWith("busy")).toList();
    assertTrue(burning.size() > 50, said);
    long named =
        burning.stream().filter(sample -> texts(sample).contains(Works.class.getName())).count();
    assertTrue(named >= burning.size() * 0.95, named + " named of " + said);
    long complete = samples.stream().filter(sample -> sample.end().isComplete()).count();
    assertTrue(
        complete >= Math.floor(samples.size() * COMPLETE), complete + " complete of " + said);
  }

  private static String texts(Sample sample) {
    return sample.frames().stream().map(frame -> frame.text()).toList().toString();
  }

  /** In the other namespace it is the first process. */
  private static long pidThere(ProcessHandle jvm) {
    return jvm.parent()
            .filter(parent -> parent.info().command().orElse("").endsWith("/unshare"))
            .isPresent()
        ? 1
        : jvm.pid();
  }

  private long perfEvents() throws IOException {
    long count = 0;
    try (Stream<Path> links = Files.list(Path.of("/proc/" + command.pid() + "/fd"))) {
      for (Path link : links.toList()) {
        try {
          count += Files.readSymbolicLink(link).toString().contains("perf_event") ? 1 : 0;
        } catch (NoSuchFileException e) {
          // Closed meanwhile.
        }
      }
    }
    return count;
  }

  @Test
  void jvmsThatComeAndGoHaveARecordingEach() throws Exception {
    ProcessHandle first = start(oldest(), "first");
    ProcessHandle other = start(oldest(), "other", as(OTHER));
    begin("--user", "root", "--user", "" + USER);
    awaitSaid("1 JVM that matches is of other users");
    awaitSampled(first);
    List<String> wrapper = new ArrayList<>(List.of("unshare", "--pid", "--fork"));
    wrapper.addAll(List.of(as(USER)));
    ProcessHandle inner = start(newest(), "inner", wrapper.toArray(String[]::new));
    awaitSampled(inner);
    started.get(0).getOutputStream().close(); // ends it
    awaitSaid("process " + first.pid() + ": the program ended");
    ProcessHandle late = start(newest(), "late");
    awaitSampled(late);
    assertEquals(CpuSet.online().cardinality(), perfEvents(), "one event a CPU, for all");
    String said = interrupt().err();
    assertIsOf(first, "first");
    assertIsOf(inner, "inner");
    assertIsOf(late, "late");
    assertFalse(Files.exists(directory.resolve("rec-" + other.pid() + ".jfr")), said);
    assertFalse(said.contains("" + other.pid()), said);
    assertEquals(
        0, Files.getAttribute(directory.resolve("rec-" + inner.pid() + ".jfr"), "unix:uid"));
  }

  /** And not that of the command's start. */
  @Test
  void theTimeIsThatOfSamples() throws Exception {
    ProcessHandle only = start(newest(), "only");
    beginFor("4s");
    Ended ended = command.end();
    assertEquals(0, ended.exit(), ended.err());
    List<Instant> times =
        samples(only).stream()
            .filter(sample -> sample.thread().name().startsWith("busy"))
            .map(Sample::time)
            .sorted()
            .toList();
    long millis = Duration.between(times.get(0), times.get(times.size() - 1)).toMillis();
    assertTrue(millis > 3_500, millis + " ms; " + ended.err());
  }

  @Test
  void whyAStoppedJvmHasNoFileIsSaid() throws Exception {
    ProcessHandle stopped = start(oldest(), "stopped");
    Commands.output("kill", "-STOP", stopped.pid());
    beginFor("1s");
    Ended ended = command.end();
    assertEquals(0, ended.exit(), ended.err());
    assertTrue(
        ended.err().contains("no sample was taken, so there is no file: the process is stopped"),
        ended.err());
  }

  /** The switch of a JVM's user is respected, and no other's. */
  @Test
  void aUsersSwitchEndsTheSamplingOfItsJvms() throws Exception {
    ProcessHandle theirs = start(oldest(), "theirs", as(USER));
    ProcessHandle own = start(oldest(), "own");
    begin("--all-users");
    awaitSampled(theirs);
    awaitSampled(own);
    Files.createDirectory(OFF);
    Files.createFile(OFF.resolve("off"));
    for (Path path : List.of(OFF, OFF.resolve("off"))) {
      Files.setAttribute(path, "unix:uid", USER);
    }
    awaitSaid("switched off by " + OFF.resolve("off"));
    Instant off = Instant.now();
    awaitCpu(theirs);
    awaitCpu(own);
    interrupt();
    assertTrue(samples(theirs).stream().noneMatch(sample -> sample.time().isAfter(off)));
    assertTrue(samples(own).stream().anyMatch(sample -> sample.time().isAfter(off)));
  }

  @Test
  void inAnotherPidNamespaceItIsRefused() throws Exception {
    List<String> words = new ArrayList<>(List.of("unshare", "--pid", "--fork", "--mount-proc"));
    words.addAll(ForkedJvm.agentCommand(newest().jdk(), "record", "--all", "-d", "1s"));
    ProcessBuilder builder = new ProcessBuilder(words).directory(directory.toFile());
    Ended ended = RunningCommand.start(builder, directory).end();
    assertEquals(2, ended.exit(), ended.err());
    assertTrue(ended.err().contains("hostPID: true"), ended.err());
  }
}
