package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.BurnsCpu;
import stackweave.jfr.read.SampledRecording;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.RunningCommand;

/** More of what {@code record} leaves: killed and several JVMs, limits, other users, a terminal. */
@Order(2)
class RecordOutputsMoreIT extends OutsideRecorded {
  private static final int USER = 64_131;

  /** Without a quote in its name, which JVMs could not be told. */
  @TempDir private Path place;

  @BeforeEach
  void useThatPlace() throws Exception {
    own = Files.createDirectory(place.resolve("a place"));
  }

  private static List<Object> burning(Object seconds) {
    return burning(last(), seconds);
  }

  private static List<Object> burning(Jvm jvm, Object seconds) {
    return List.of(
        jvm.home().resolve("bin/java"), "-cp", Jars.apps(), BurnsCpu.class.getName(), seconds);
  }

  /** Words for a shell. */
  private static String quoted(List<Object> words) {
    return words.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
  }

  private RunningCommand started(List<Object> program, Object... options) throws Exception {
    List<Object> words = new ArrayList<>(List.of("record"));
    words.addAll(List.of(options));
    words.add("--");
    words.addAll(program);
    return begin(List.of(), words.toArray());
  }

  /** JFR has not written its recording: its chunks up to the last flush are there. */
  @Test
  void aProgramThatIsKilledHasWhatWasFlushed() throws Exception {
    RunningCommand record = started(burning(RUNS), "-o", "flame.html", "-o", "killed.jfr");
    awaitOut(record, out -> out.equals("running\n"));
    ProcessHandle program = record.process().children().findFirst().orElseThrow();
    awaitFlushes(own);
    awaitFlushes(own);
    program.destroyForcibly();
    Ended ended = record.end();
    assertEquals(137, ended.exit(), ended.err());
    assertTrue(ended.err().contains("process " + program.pid() + " was killed"), ended.err());
    assertTrue(Files.exists(directory.resolve("flame.html")));
    assertTrue(isSampled("killed.jfr"));
    assertFalse(RecordingFile.readAllEvents(directory.resolve("killed.jfr")).isEmpty());
    assertNothingOfTheProgramIsLeft();
  }

  private void assertNothingOfTheProgramIsLeft() throws Exception {
    try (Stream<Path> left = Files.list(own)) {
      assertEquals(0, left.filter(file -> file.toString().contains("stackweave-")).count());
    }
  }

  /** JFR of JDK 17 and 21 would write no file into a directory. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#all")
  void aLimitEndsTheRecordingAndNotTheProgram(Jvm jvm) throws Exception {
    List<Object> program = new ArrayList<>(burning(jvm, 9));
    program.add(1, "-Dpassword=of-nobody-else");
    Ended ended = started(program, "-d", "5s", "-o", "limited.html", "-o", "limited.jfr").end();
    assertEquals(0, ended.exit(), ended.err());
    assertPage("limited.html");
    assertFalse(Files.readString(directory.resolve("limited.html")).contains("of-nobody-else"));
    assertTrue(isSampled("limited.jfr"));
    SampledRecording recording = SampledRecording.open(directory.resolve("limited.jfr"));
    Duration sampled = Duration.between(recording.first(), recording.last());
    assertTrue(sampled.toMillis() < 7_000, sampled::toString);
    assertNothingOfTheProgramIsLeft();
  }

  /**
   * A shell that starts two beside each other, after one that runs no time; none is the process
   * itself.
   */
  @Test
  void furtherJvmsHaveFilesWithTheirIds() throws Exception {
    String version = quoted(List.of(last().home().resolve("bin/java"), "-version"));
    String burns = quoted(burning(3));
    Ended ended =
        started(
                List.of("sh", "-c", version + "; " + burns + " & " + burns + "; wait; exit 0"),
                "-o",
                "c.txt")
            .end();
    assertEquals(0, ended.exit(), ended.err());
    assertEquals("running\nrunning\n", ended.out());
    try (Stream<Path> all = Files.list(directory)) {
      TreeSet<String> files =
          all.map(file -> file.getFileName().toString())
              .filter(file -> file.matches("c.*\\.txt"))
              .collect(Collectors.toCollection(TreeSet::new));
      assertEquals(2, files.size(), files::toString);
      assertTrue(files.contains("c.txt") && files.first().matches("c-\\d+\\.txt"), files::toString);
    }
  }

  /** The JVM goes on, and what it writes has a place; what another one wrote is taken. */
  @Test
  void oneThatRunsLongerThanTheProgramIsLeftAlone() throws Exception {
    String line = quoted(burning(15)) + " >/dev/null 2>&1 & " + quoted(burning(5));
    Ended ended = started(List.of("sh", "-c", line), "-o", "c.txt").end();
    assertEquals(2, ended.exit(), ended.err());
    assertTrue(ended.err().contains(" still runs: JFR writes its recording to "), ended.err());
    Path left =
        Path.of(ended.err().replaceFirst("(?s).* its recording to (.*) when it ends.*", "$1"));
    assertTrue(Files.exists(directory.resolve("c.txt")), ended.err());
    long running = Long.parseLong(ended.err().replaceFirst("(?s).*process (\\d+) still.*", "$1"));
    try (Stream<Path> all = Files.list(left)) {
      assertEquals(0, all.filter(file -> !file.toString().contains("" + running)).count());
    }
    long end = System.nanoTime() + 120_000_000_000L;
    while (whole(left).isEmpty() && System.nanoTime() < end) {
      Thread.sleep(200);
    }
    Path file = whole(left).get(0); // which JFR fills until the JVM ends
    Optional<ProcessHandle> jvm = ProcessHandle.of(running);
    if (jvm.isPresent()) {
      jvm.get().onExit().get(2, TimeUnit.MINUTES);
    }
    assertTrue(isSampled(file));
  }

  private static List<Path> whole(Path directory) throws Exception {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(file -> file.toString().matches(".*/hotspot-pid-.*")).toList();
    }
  }

  /** SIGINT, which nobody but the command gets here: it has no terminal. */
  @Test
  void anInterruptEndsTheProgram() throws Exception {
    RunningCommand record = started(burning(RUNS), "-o", "c.txt");
    awaitOut(record, out -> out.equals("running\n"));
    Thread.sleep(3_000);
    run("kill", "-INT", record.pid()).successfully();
    Ended ended = record.end();
    assertEquals(130, ended.exit(), ended.err());
    assertTrue(Files.readString(directory.resolve("c.txt")).contains("BurnsCpu"), ended.err());
  }

  /** By script(1): the terminal, which sends SIGINT to both, sends no SIGTERM. */
  @Test
  void sigtermEndsTheProgramInATerminalsForeground() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")));
    List<Object> words = new ArrayList<>(List.of(java(), "-Djava.io.tmpdir=" + own, "-jar"));
    words.addAll(List.of(Jars.AGENT, "record", "-o", "c.txt", "--"));
    words.addAll(burning(RUNS));
    RunningCommand terminal = beginAny("script", "-qec", "exec " + quoted(words), "/dev/null");
    awaitOut(terminal, out -> out.contains("running"));
    terminal.process().children().findFirst().orElseThrow().destroy();
    assertEquals(143, terminal.end().exit());
  }

  @Test
  void theRecordingStaysOnlyIfItIsNamed() throws Exception {
    long pid = start(last(), RUNS).pid();
    Files.writeString(directory.resolve("flame.html"), "an earlier one");
    RunningCommand record = outside("record", pid, "-d5m", "-o", "flame.html");
    awaitOwnSamples(record);
    assertEquals("an earlier one", Files.readString(directory.resolve("flame.html")));
    interrupt(record);
    assertPage("flame.html");
    assertEquals(new TreeSet<>(List.of("flame.html")), files());

    RunningCommand killed = outside("record", pid, "-d5m", "-o", "other.html");
    awaitOwnSamples(killed);
    killed.kill();
    assertEquals(new TreeSet<>(List.of("flame.html")), files());
    assertEquals(0, namedRecordings());
  }

  /** As a directory that somebody made meanwhile. */
  @Test
  void whatCantBeWrittenAtTheEndIsMadeOfTheRecordingThatIsKept() throws Exception {
    long pid = start(last(), RUNS).pid();
    RunningCommand record =
        outside("record", pid, "-d8s", "--settings=none", "-o", "a.html", "-o", "b.txt");
    awaitOwnSamples(record);
    Files.createDirectory(directory.resolve("a.html"));
    Ended ended = record.end();
    assertEquals(2, ended.exit(), ended.err());
    assertEquals("b.txt\n", ended.out());
    List<String> said = ended.errLines().stream().filter(l -> l.contains("can't write")).toList();
    assertEquals(1, said.size(), ended.err());
    assertTrue(
        said.get(0)
            .matches(
                "stackweave: can't write a.html: Is a directory; the recording is kept as .*\\.jfr"),
        ended.err());
    assertTrue(isSampled(Path.of(said.get(0).replaceFirst(".* is kept as ", ""))));
  }

  @Test
  void withoutASampleNothingIsReplaced() throws Exception {
    Process target = start(last(), RUNS);
    run("kill", "-STOP", target.pid()).successfully();
    Files.writeString(directory.resolve("flame.html"), "an earlier one");
    Ended none = command("record", target.pid(), "-d1s", "--settings=none", "-o", "flame.html");
    assertEquals(2, none.exit(), none.err());
    assertTrue(
        none.err().contains("flame.html is not written: the recording holds no"), none.err());
    assertEquals("an earlier one", Files.readString(directory.resolve("flame.html")));
    assertEquals(new TreeSet<>(List.of("flame.html")), files());
  }

  @Test
  void anotherUserListsAndNamesItsOwnOnly() throws Exception {
    Process target = start(last(), RUNS);
    List<Object> as =
        List.of("setpriv", "--reuid", USER, "--regid", USER, "--clear-groups", java(), "-jar");
    Path jar = Files.copy(Jars.AGENT, directory.resolve("stackweave-agent.jar"));
    List<Object> list = new ArrayList<>(as);
    list.add(jar);
    Ended none = run(list.toArray()).successfully();
    assertTrue(none.out().startsWith("No JVM of yours runs here; root sees "), none.out());
    List<Object> named = new ArrayList<>(list);
    named.addAll(List.of("status", "BurnsCpu"));
    assertFailed(run(named.toArray()), "no JVM of yours has 'BurnsCpu' in .*");
    assertTrue(command().out().contains(" " + target.pid() + " "), "root lists it");
  }

  /** As {@code mvn dependency:copy} names the jar. */
  @Test
  void aCommandIsNoJvmToRecordWhateverItsJarIsCalled() throws Exception {
    long target = start(last(), RUNS).pid();
    Path jar = Files.copy(Jars.AGENT, directory.resolve("agent-0.9.0.jar"));
    RunningCommand record =
        beginAny(java(), "-Djava.io.tmpdir=" + own, "-jar", jar, "record", target, "-o", "a.jfr");
    awaitOwnSamples(record);
    String list = run(java(), "-jar", jar).successfully().out();
    assertTrue(list.contains(" " + target + " "), list);
    assertFalse(list.contains(" " + record.pid() + " "), list);
    interrupt(record);
  }

  /** By script(1), which has a terminal for it. */
  @Test
  void aTerminalHasALineMeanwhile() throws Exception {
    Process target = start(last(), RUNS);
    String line =
        java() + " -jar " + Jars.AGENT + " record " + target.pid() + " -d 6s -o flame.html";
    String out =
        Commands.outputOrSkip("script", "-qec", "cd '" + q() + "' && " + line, "/dev/null");
    assertTrue(out.matches("(?s).*recording: \\d of 6 s, [\\d,]+ samples, \\d+ % in .*"), out);
    assertTrue(Files.exists(directory.resolve("flame.html")), out);
    assertTrue(out.getBytes(StandardCharsets.UTF_8).length < 20_000, out);
  }

  private String q() {
    return directory.toString().replace("'", "'\\''");
  }
}
