package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
import stackweave.agent.apps.BurnsCpu;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.RunningCommand;

/** More of what {@code record} leaves: killed and several JVMs, other users, a terminal. */
@Order(2)
class RecordOutputsMoreIT extends OutsideRecorded {
  private static final int USER = 64_131;

  /** Without a quote in its name, which JVMs could not be told. */
  @TempDir private Path place;

  @BeforeEach
  void useThatPlace() throws Exception {
    own = Files.createDirectory(place.resolve("a place"));
  }

  private List<Object> burning(Object seconds) {
    return List.of(
        last().home().resolve("bin/java"), "-cp", Jars.apps(), BurnsCpu.class.getName(), seconds);
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
    try (Stream<Path> left = Files.list(own)) {
      assertEquals(0, left.filter(file -> file.toString().contains("stackweave-")).count());
    }
  }

  /** A shell that starts two, one after the other; neither is the process itself. */
  @Test
  void furtherJvmsHaveFilesWithTheirIds() throws Exception {
    String burns =
        burning(3).stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
    Ended ended =
        started(List.of("sh", "-c", burns + " & " + burns + "; wait; exit 3"), "-o", "c.txt").end();
    assertEquals(3, ended.exit(), ended.err());
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

  /** The JVM goes on, and what it writes has a place. */
  @Test
  void oneThatRunsLongerThanTheProgramIsLeftAlone() throws Exception {
    String burns =
        burning(12).stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
    Ended ended =
        started(List.of("sh", "-c", burns + " >/dev/null 2>&1 & sleep 6"), "-o", "c.txt").end();
    assertEquals(2, ended.exit(), ended.err());
    assertTrue(ended.err().contains(" still runs: JFR writes its recording to "), ended.err());
    Path left =
        Path.of(ended.err().replaceFirst("(?s).* its recording to (.*) when it ends.*", "$1"));
    long end = System.nanoTime() + 120_000_000_000L;
    while (whole(left).isEmpty() && System.nanoTime() < end) {
      Thread.sleep(200);
    }
    Path file = whole(left).get(0); // which JFR fills until the JVM ends
    String pid = file.getFileName().toString().replaceFirst("hotspot-pid-(\\d+)-.*", "$1");
    Optional<ProcessHandle> jvm = ProcessHandle.of(Long.parseLong(pid));
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
