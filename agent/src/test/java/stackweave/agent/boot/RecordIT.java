package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.BurnsCpu;
import stackweave.agent.boot.Jvm.Result;

/**
 * The command {@code record}, by its user: several at once, programs that end meanwhile, commands
 * that are killed, files that can't be written. The JVM has a temporary directory of its own, so
 * that what is left in it is seen.
 */
class RecordIT {
  private static final Pattern TAKEN = Pattern.compile("samples: (\\d+) taken");
  private static final String ENDED = "the program ended after [\\d.]+ s of 1 min; saved .*";
  private static final String KILLED =
      "the program was killed or crashed after [\\d.]+ s of 1 min; saved .* chunks? of /.*";

  private Path directory;
  private Path temporary;
  private final List<Process> started = new ArrayList<>();
  private int commands;

  static Stream<Jvm> jvms() {
    return Jvm.all();
  }

  /** Those that any user can run. */
  static Stream<Jvm> publicJvms() {
    return Jvm.all().filter(jvm -> jvm.home().startsWith("/usr/lib/jvm"));
  }

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

  @ParameterizedTest
  @MethodSource("jvms")
  void severalAtOnceLeaveARecordingEach(Jvm jvm) throws Exception {
    long pid = start(jvm, 120).pid();
    Command[] records = new Command[3];
    for (int i = 0; i < records.length; i++) {
      Path file = directory.resolve("rec" + i + ".jfr");
      records[i] = begin("record", pid, "-d", 2 + i + "s", "-o", file, "--settings=none");
      Thread.sleep(300L * i);
    }
    for (int i = 0; i < records.length; i++) {
      Result result = records[i].end();
      assertEquals(0, result.exit(), result.err());
      assertTrue(stacks("rec" + i + ".jfr").contains("BurnsCpu.main"), "no sample of the program");
    }
    assertFailed(command("status", pid), "no Stackweave agent.*");
    assertNothingIsLeft();
    assertTrue(Files.readString(directory.resolve("target.txt")).lines().count() <= 4, "warnings");
  }

  /** Nor is an agent loaded that is there: JDK 21 and later would warn each time. */
  @ParameterizedTest
  @MethodSource("jvms")
  void anAgentOfTheJvmStaysAndEachSummaryIsOfItsRecording(Jvm jvm) throws Exception {
    long pid = start(jvm, 120, "-javaagent:" + Jars.AGENT).pid();
    long[] taken = new long[2];
    for (int i = 0; i < taken.length; i++) {
      Path file = directory.resolve("rec.jfr");
      Result result = command("record", pid, "-d", "2s", "-o", file, "--interval", "2ms");
      assertEquals(0, result.exit(), result.err());
      assertTrue(result.err().contains("interval: 2 ms of CPU time"), result.err());
      taken[i] = taken(result.err());
      assertTrue(taken[i] > 50, result.err());
      assertTrue(command("status", pid).out().startsWith("state: dormant"));
    }
    long all = taken(command("status", pid).out());
    assertTrue(all >= taken[0] + taken[1], all + " are less than " + Arrays.toString(taken));
    Result attached = command("attach", pid, "interval=2ms");
    assertFailed(attached, "process \\d+: an agent is there already: its options stay, .*");
    assertEquals("", Files.readString(directory.resolve("target.txt")));
    assertNothingIsLeft();
  }

  @Test
  void anAgentThatWasAttachedStays() throws Exception {
    long pid = start(last(), 120).pid();
    assertEquals(0, command("attach", pid).exit());
    String warned = Files.readString(directory.resolve("target.txt"));
    Path file = directory.resolve("rec.jfr");
    assertEquals(0, command("record", pid, "-d", "1s", "-o", file).exit());
    assertTrue(command("status", pid).out().startsWith("state: dormant"));
    assertEquals(warned, Files.readString(directory.resolve("target.txt")));
  }

  /** One that came for a recording stays when its user says so meanwhile. */
  @Test
  void attachWhileRecordingMakesTheAgentStay() throws Exception {
    long pid = start(last(), 120).pid();
    Command record = begin("record", pid, "-d", "12s", "-o", directory.resolve("rec.jfr"));
    awaitSampling(pid);
    Result options = command("attach", pid, "depth=5");
    assertFailed(options, ".*leaves with it: depth=5 was not applied.*");
    assertEquals(0, command("attach", pid).exit());
    Result result = record.end();
    assertEquals(0, result.exit(), result.err());
    assertTrue(command("status", pid).out().startsWith("state: dormant"));
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void whatAProgramDidUntilItsEndIsSaved(Jvm jvm) throws Exception {
    Process target = start(jvm, 120);
    Command record = begin("record", target.pid(), "-d", "1m", "-o", directory.resolve("rec.jfr"));
    awaitSampling(target.pid());
    Thread.sleep(2_000);
    target.destroy(); // SIGTERM
    assertSaved(record, ENDED);
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void whatAProgramDidUntilItWasKilledIsSaved(Jvm jvm) throws Exception {
    Process target = start(jvm, 120);
    Command record = begin("record", target.pid(), "-d", "1m", "-o", directory.resolve("rec.jfr"));
    awaitSampling(target.pid());
    Thread.sleep(4_000); // JFR flushes once a second
    target.destroyForcibly();
    assertSaved(record, KILLED);
  }

  private void assertSaved(Command record, String message) throws Exception {
    Result result = record.end();
    assertEquals(0, result.exit(), result.err());
    String said = result.err().lines().findFirst().orElseThrow();
    assertTrue(said.matches("stackweave: " + message), said);
    assertTrue(stacks("rec.jfr").contains("BurnsCpu.main"), "no sample of the program");
    assertNothingIsLeft();
  }

  /** With its process, its root goes, and all that is mounted there. */
  @ParameterizedTest
  @CsvSource({"TERM", "KILL"})
  void aContainerOfAnotherUserThatEndsLosesNothing(String signal) throws Exception {
    assumeTrue(isRoot(), "only root makes namespaces");
    Path apps = Files.createDirectory(directory.resolve("apps"));
    copyClass(BurnsCpu.class, apps);
    Jvm jvm = publicJvms().findFirst().orElseThrow();
    String run =
        "mount -t tmpfs tmpfs /tmp && cd / && exec setpriv --reuid 65534 --regid 65534"
            + " --clear-groups \"$1\" -cp \"$2\" "
            + BurnsCpu.class.getName()
            + " 120";
    Process unshare =
        new ProcessBuilder(
                "unshare",
                "--mount",
                "--pid",
                "--fork",
                "--mount-proc",
                "sh",
                "-c",
                run,
                "sh",
                jvm.home().resolve("bin/java").toString(),
                apps.toString())
            .redirectError(directory.resolve("target.txt").toFile())
            .start();
    started.add(unshare);
    ProcessHandle target = javaBelow(unshare);
    awaitSignalHandler(target.pid());
    Command record = begin("record", target.pid(), "-d", "1m", "-o", directory.resolve("rec.jfr"));
    awaitSampling(target.pid());
    Thread.sleep(4_000);
    assertEquals(0, new ProcessBuilder("kill", "-" + signal, "" + target.pid()).start().waitFor());
    assertSaved(record, signal.equals("TERM") ? ENDED : KILLED);
  }

  @Test
  void detachWhileRecordingIsSaidOnBothSides() throws Exception {
    long pid = start(last(), 120).pid();
    Command record = begin("record", pid, "-d", "1m", "-o", directory.resolve("rec.jfr"));
    awaitSampling(pid);
    Thread.sleep(1_000);
    Result detached = command("detach", pid);
    assertEquals(
        "detached from "
            + pid
            + "; 1 recording of the command record ended with it, and what was recorded is kept\n",
        detached.out());
    assertSaved(
        record, "the recording was ended from outside .* after [\\d.]+ s of 1 min; saved .*");
  }

  /** Its recording ends by itself, a minute late; another command's goes on and has the agent. */
  @Test
  void aCommandThatIsKilledLeavesTheAgentForNoLongerThanItsTime() throws Exception {
    long pid = start(last(), 300).pid();
    Command killed = begin("record", pid, "-d", "1s", "-o", directory.resolve("killed.jfr"));
    awaitSampling(pid);
    killed.process.destroyForcibly().waitFor();
    Path file = directory.resolve("rec.jfr");
    Result other = command("record", pid, "-d", "2s", "-o", file, "--settings=none");
    assertEquals(0, other.exit(), other.err());
    assertTrue(stacks("rec.jfr").contains("BurnsCpu.main"), "no sample of the program");
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (command("status", pid).exit() == 0 && System.nanoTime() < end) {
      Thread.sleep(1_000);
    }
    assertFailed(command("status", pid), "no Stackweave agent.*");
  }

  @Test
  void standardOutputTakesTheRecordingAlone() throws Exception {
    long pid = start(last(), 120).pid();
    Command record = begin("record", pid, "-d", "1s", "-o", "-", "--settings=none");
    Result result = record.end();
    assertEquals(0, result.exit(), result.err());
    assertTrue(result.err().contains("samples: "), result.err());
    Files.copy(record.out, directory.resolve("rec.jfr"));
    assertTrue(stacks("rec.jfr").contains("BurnsCpu.main"), "no sample of the program");
  }

  @Test
  void theNextCommandCanBePasted() throws Exception {
    long pid = start(last(), 120).pid();
    Path file = directory.resolve("it's a recording.jfr");
    Path jar = Files.copy(Jars.AGENT, directory.resolve("an agent's.jar"));
    Result result =
        run(java(), "-jar", jar, "record", pid, "-d", "1s", "-o", file, "--settings=none");
    assertEquals(0, result.exit(), result.err());
    Matcher next = Pattern.compile("(?m)^next: (.*)$").matcher(result.err());
    assertTrue(next.find(), result.err());
    Result pasted = run("sh", "-c", next.group(1));
    assertEquals(0, pasted.exit(), pasted.err());
    assertTrue(Files.exists(directory.resolve("it's a recording.html")));
  }

  @Test
  void whatCantBeWrittenIsSaidBeforeRecording() throws Exception {
    long pid = start(last(), 120).pid();
    Path file = Files.createFile(directory.resolve("file"));
    assertUnwritable(pid, "/nowhere/rec.jfr", "no such directory");
    assertUnwritable(pid, file + "/rec.jfr", "not a directory");
    assertUnwritable(pid, directory.toString(), "Is a directory");
    assertUnwritable(pid, "/proc/rec.jfr", "it is in a process's own sight: choose another -o");
    assertFailed(command("status", pid), "no Stackweave agent.*");
  }

  @Test
  void aFullOrReadOnlyDiskIsSaidBeforeRecording() throws Exception {
    assumeTrue(isRoot(), "only root mounts");
    long pid = start(last(), 120).pid();
    Path disk = Files.createDirectory(directory.resolve("disk"));
    run("mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", disk);
    try {
      Result late = command("record", pid, "-d", "1s", "-o", disk.resolve("rec.jfr"));
      assertFailed(
          late,
          "can't write .*: no space left for .* bytes; for an hour the recording is kept as .*");
      Path kept =
          Path.of(
              late.err()
                  .strip()
                  .replaceFirst("(?s).* is kept as ", "")
                  .replaceFirst(", as process \\d+ sees it$", ""));
      assertTrue(Files.size(kept) > 128 << 10);
      Files.write(disk.resolve("fill"), new byte[100 << 10]);
      assertUnwritable(pid, disk + "/rec.jfr", "No space left on device");
      run("mount", "-o", "remount,ro", disk);
      assertUnwritable(pid, disk + "/rec.jfr", "Read-only file system");
      run("mount", "-o", "remount,rw", disk);
      Result export = run(java(), "-jar", Jars.AGENT, "flamegraph", kept, "-o", disk + "/x.html");
      // What the recording lacks is said in a line before.
      String last = export.err().replaceAll("(?m)^stackweave: .*\\.jfr: .*\n", "");
      assertFailed(
          new Result(export.exit(), export.out(), last), "can't write .*: No space left on device");
      try (Stream<Path> files = Files.list(disk)) {
        assertEquals(List.of(disk.resolve("fill")), files.toList());
      }
    } finally {
      run("umount", disk);
    }
  }

  @Test
  void aRecordingWithoutASampleIsSaid() throws Exception {
    Path off = Files.createFile(directory.resolve("off"));
    long pid = start(last(), 120, "-javaagent:" + Jars.AGENT + "=switch=" + off).pid();
    Result result = command("record", pid, "-d", "1s", "-o", directory.resolve("none.jfr"));
    assertEquals(0, result.exit(), result.err());
    assertTrue(result.err().contains("no sample was taken"), result.err());
    assertFalse(result.err().contains("next:"), result.err());
  }

  @Test
  void aCutStackSaysTheDepth() throws Exception {
    long pid = start(last(), 120, "-javaagent:" + Jars.AGENT + "=depth=3").pid();
    Path file = directory.resolve("rec.jfr");
    Result result = command("record", pid, "-d", "1s", "-o", file, "--settings=none");
    assertEquals(0, result.exit(), result.err());
    assertTrue(stacks("rec.jfr").contains("[stopped: deeper than depth=3"), stacks("rec.jfr"));
  }

  private void assertUnwritable(long pid, String file, String why) throws Exception {
    long start = System.nanoTime();
    Result result = command("record", pid, "-d", "1m", "-o", file);
    assertFailed(result, "can't write \\Q" + file + "\\E: " + why);
    assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(60), "said after recording");
  }

  private static Jvm last() {
    return Jvm.all().reduce((first, second) -> second).orElseThrow();
  }

  private Process start(Jvm jvm, int seconds, String... options) throws Exception {
    List<String> arguments = new ArrayList<>(Arrays.asList(options));
    arguments.add("-Djava.io.tmpdir=" + temporary);
    arguments.addAll(
        List.of("-cp", Jars.apps().toString(), BurnsCpu.class.getName(), "" + seconds));
    Process process =
        jvm.start(directory, arguments)
            .redirectError(directory.resolve("target.txt").toFile())
            .start();
    started.add(process);
    awaitSignalHandler(process.pid());
    return process;
  }

  private static void awaitSignalHandler(long pid) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (System.nanoTime() < end) {
      String status = Files.readString(Path.of("/proc/" + pid + "/status"));
      if (status.matches("(?s).*\nSigCgt:\\s*[0-9a-f]{15}[4-7c-f]\n.*")) { // SIGQUIT
        Thread.sleep(500);
        return;
      }
      Thread.sleep(50);
    }
  }

  private static ProcessHandle javaBelow(Process unshare) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (System.nanoTime() < end) {
      for (ProcessHandle child : unshare.descendants().toList()) {
        if (child.info().command().orElse("").endsWith("/java")) {
          return child;
        }
      }
      Thread.sleep(50);
    }
    throw new IllegalStateException("no JVM came up in the container");
  }

  private void awaitSampling(long pid) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    String status = "";
    while (System.nanoTime() < end) {
      status = command("status", pid).out();
      if (status.startsWith("state: sampling for recording stackweave-record-")) {
        return;
      }
    }
    throw new AssertionError("never sampled: " + status);
  }

  private static long taken(String text) {
    Matcher matcher = TAKEN.matcher(text);
    assertTrue(matcher.find(), text);
    return Long.parseLong(matcher.group(1));
  }

  private String stacks(String recording) throws Exception {
    Result result = run(java(), "-jar", Jars.AGENT, "collapsed", directory.resolve(recording));
    assertEquals(0, result.exit(), result.err());
    return result.out();
  }

  private void assertNothingIsLeft() throws IOException {
    try (Stream<Path> all = Files.walk(temporary)) {
      List<Path> left = all.filter(Files::isRegularFile).filter(file -> !isOfJvm(file)).toList();
      assertEquals(List.of(), left);
    }
  }

  /** What a JVM that was killed leaves: its counters, and JFR's repository. */
  private static boolean isOfJvm(Path file) {
    return !file.getParent().getFileName().toString().startsWith(".stackweave-");
  }

  /** A command that runs. */
  private record Command(Process process, Path out, Path err) {
    Result end() throws Exception {
      assertTrue(process.waitFor(90, TimeUnit.SECONDS), "does not end");
      String said = new String(Files.readAllBytes(out), "ISO-8859-1");
      return new Result(process.exitValue(), said, Files.readString(err));
    }
  }

  private Command begin(Object... arguments) throws IOException {
    List<Object> all = new ArrayList<>(List.of(java(), "-jar", Jars.AGENT));
    all.addAll(Arrays.asList(arguments));
    return beginAny(all.toArray());
  }

  private Command beginAny(Object... command) throws IOException {
    Path out = directory.resolve("out" + commands);
    Path err = directory.resolve("err" + commands++);
    Process process =
        new ProcessBuilder(Arrays.stream(command).map(Object::toString).toList())
            .directory(directory.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    started.add(process);
    return new Command(process, out, err);
  }

  private Result command(Object... arguments) throws Exception {
    return begin(arguments).end();
  }

  private Result run(Object... command) throws Exception {
    return beginAny(command).end();
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static void assertFailed(Result result, String line) {
    assertEquals(2, result.exit(), result.out() + result.err());
    assertEquals(1, result.err().lines().count(), result.err());
    assertTrue(result.err().strip().matches("stackweave: " + line), result.err());
    assertFalse(result.err().contains("null"), result.err());
  }

  private static boolean isRoot() throws IOException {
    return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
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
}
