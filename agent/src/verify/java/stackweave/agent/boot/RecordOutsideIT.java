package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.BurnsCpu;
import stackweave.agent.apps.Marks;
import stackweave.jfr.read.SessionFacts;
import stackweave.jfr.read.jvm.JvmFacts;
import stackweave.testing.Ended;
import stackweave.testing.RunningCommand;

/** JVMs that {@code record} samples from outside. */
@Order(1)
class RecordOutsideIT extends OutsideRecorded {
  private static final Duration CLOCKS = Duration.ofMillis(1);
  private static final String WITHOUT_EVENTS =
      "only samples are recorded, and JFR's own events are";

  /** Beside a recording of the agent's it has the same, and nothing of the agent is in the JVM. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void aRecordingIsAsOneOfTheAgents(Jvm jvm) throws Exception {
    Process target = start(jvm, RUNS);
    RunningCommand record = outside("record", target.pid(), "-d5m", "-o", "outside.jfr");
    awaitOwnSamples(record);
    assertEquals(0, namedRecordings());
    Ended classes = run(jvm.home().resolve("bin/jcmd"), target.pid(), "VM.class_hierarchy");
    assertFalse(classes.successfully().out().contains("stackweave.agent.A"), "classes of ours");
    assertFalse(classes.out().contains("stackweave.jfr"), "classes of ours");
    Ended ended = interrupt(record);
    assertTrue(ended.err().startsWith("engine: perf\n"), ended.err());
    assertTrue(isSampled("outside.jfr"));
    assertNothingIsLeft();
    assertEquals(0, namedRecordings());
    recordSamples(target.pid(), "-o", directory.resolve("inside.jfr"));
    Map<String, Integer> inside = events(directory.resolve("inside.jfr"));
    Map<String, Integer> outside = events(directory.resolve("outside.jfr"));
    for (String event : List.of("jdk.JVMInformation", "jdk.SystemProcess", "jdk.ExecutionSample")) {
      assertTrue(outside.containsKey(event), event + " of " + outside);
    }
    inside.keySet().removeIf(name -> !name.startsWith("stackweave."));
    outside.keySet().removeIf(name -> !name.startsWith("stackweave."));
    assertEquals(inside.keySet(), outside.keySet());
    SessionFacts agents = facts("inside.jfr");
    SessionFacts ours = facts("outside.jfr");
    assertEquals(agents.pid(), ours.pid());
    assertEquals(agents.jdk(), ours.jdk());
    assertEquals(agents.jvmStart(), ours.jvmStart());
    for (String file : List.of("inside.jfr", "outside.jfr")) {
      JvmFacts start = JvmFacts.read(directory.resolve(file)).get(facts(file).uuid());
      assertEquals(temporary.toString(), start.properties().get("java.io.tmpdir"), file);
      assertEquals(System.getenv("PATH"), start.environment().get("PATH"), file);
      assertEquals(BurnsCpu.class.getName() + " " + RUNS, start.command(), file);
    }
    Ended merged = command("merge", "outside.jfr", "-o", "merged.jfr").successfully();
    assertFalse(merged.out().contains("JVMs"), merged.out());
    assertEquals(
        -1, Files.mismatch(directory.resolve("outside.jfr"), directory.resolve("merged.jfr")));
    assertViewed("outside.jfr", "hot-methods", "Samples Percent");
    assertViewed("outside.jfr", "native-methods", "Native Methods");
    assertViewed("outside.jfr", "jvm-information", "VM Start: ");
    assertViewed("outside.jfr", "latencies-by-type", "");
  }

  /** The command has views from JDK 21 on, and knows the types of a file's first chunk alone. */
  private void assertViewed(String file, String view, String text) throws Exception {
    if (last().feature() >= 21) {
      Ended viewed = run(last().home().resolve("bin/jfr"), "view", view, file).successfully();
      assertTrue(viewed.out().contains(text), viewed.out());
      assertFalse(viewed.out().contains("Missing event"), viewed.out());
    }
  }

  @Test
  void aJvmThatCantBeAttachedToHasItsSamples() throws Exception {
    Process target = start(last(), RUNS, "-XX:+DisableAttachMechanism");
    RunningCommand record = outside("record", target.pid(), "-d5m", "-o", "rec.jfr");
    awaitOwnSamples(record);
    Ended ended = interrupt(record);
    String first = ended.err().lines().findFirst().orElseThrow();
    assertTrue(first.startsWith("stackweave: " + WITHOUT_EVENTS), first);
    assertTrue(first.contains("-XX:+DisableAttachMechanism"), first);
    assertTrue(isSampled("rec.jfr"));
    assertTrue(events(directory.resolve("rec.jfr")).containsKey("jdk.ExecutionSample"));
    assertViewed("rec.jfr", "hot-methods", "Samples Percent");
    assertFalse(Files.exists(Path.of("/tmp/.java_pid" + target.pid())), "attached to");
  }

  /** Output and samples are in one file system. */
  @Test
  void onAFullDiskTheRecordingIsKeptByAName() throws Exception {
    Process target = start(last(), RUNS);
    String small = "mount -t tmpfs -o size=12m tmpfs \"$0\" && echo mounted && exec sleep 900";
    RunningCommand disk = beginAny("unshare", "--mount", "sh", "-c", small, own);
    awaitOut(disk, out -> out.equals("mounted\n"));
    List<String> inNamespace = List.of("nsenter", "--mount", "--target", "" + disk.pid());
    Path result = own.resolve("rec.jfr");
    RunningCommand record =
        begin(inNamespace, "record", target.pid(), "-d5m", "-o", result, "--interval=1ms");
    awaitOwnSamples(record);
    Path root = Path.of("/proc/" + disk.pid() + "/root");
    own = Path.of(root + own.toString());
    assertThrows(IOException.class, () -> Files.write(own.resolve("x"), new byte[16 << 20]));
    Ended ended = record.end();
    assertEquals(2, ended.exit(), ended.err());
    Matcher kept =
        Pattern.compile("; the recording is kept as (/.+/stackweave-[0-9a-f]+[.]jfr), and JFR's")
            .matcher(ended.err());
    assertTrue(kept.find(), ended.err());
    assertTrue(isSampled(Path.of(root + kept.group(1))));
    assertEquals(1, namedRecordings());
  }

  /** Without the capabilities for it, as in most containers. */
  @Test
  void whereItIsNotPermittedTheAgentSamples() throws Exception {
    long pid = start(last(), RUNS).pid();
    RunningCommand record =
        begin(
            List.of("setpriv", "--bounding-set", "-sys_admin,-perfmon"),
            "record",
            pid,
            "-d8s",
            "-o",
            "rec.jfr");
    Ended ended = record.end();
    assertEquals(0, ended.exit(), ended.err());
    String first = ended.err().lines().findFirst().orElseThrow();
    assertTrue(first.startsWith("stackweave: sampled from inside, by an agent: "), first);
    assertTrue(isSampled("rec.jfr"));
  }

  /** Root has CAP_BPF, too, by CAP_SYS_ADMIN. */
  @Test
  void withoutAFilterInTheKernelOthersSamplesAreThrownAway() throws Exception {
    long pid = start(last(), RUNS).pid();
    start(last(), RUNS);
    List<String> wrapper = List.of("setpriv", "--bounding-set", "-sys_admin,-bpf");
    RunningCommand record = begin(wrapper, "record", pid, "-d5m", "-o", "rec.jfr");
    awaitOwnSamples(record);
    Ended ended = interrupt(record);
    assertTrue(ended.err().startsWith("engine: perf\n"), ended.err());
    assertTrue(ended.err().contains("CAP_BPF lifts it"), ended.err());
    assertTrue(ended.err().contains("samples of other processes, discarded"), ended.err());
    assertTrue(isSampled("rec.jfr"));
    assertEquals(pid, facts("rec.jfr").pid());
  }

  @Test
  void aLoopHasNoGap() throws Exception {
    long pid = start(last(), RUNS).pid();
    RunningCommand loop = outside("record", pid, "--loop=2s", "-o", "l-%n{99}.jfr");
    awaitOut(loop, out -> out.lines().count() > 2);
    List<String> files = interrupt(loop).outLines();
    TreeSet<String> sessions = new TreeSet<>();
    for (String file : files) {
      String statuses = "";
      for (RecordedEvent event : RecordingFile.readAllEvents(directory.resolve(file))) {
        switch (event.getEventType().getName()) {
          case "stackweave.Session" -> sessions.add(event.getString("uuid"));
          case "stackweave.SamplerStatus" -> statuses += event;
          default -> {}
        }
      }
      assertFalse(statuses.isEmpty(), file);
      // CPU time that no engine saw is that before the first file only.
      if (!file.equals(files.get(0))) {
        assertTrue(statuses.contains("cpuMissed = 0 s"), statuses);
      }
    }
    assertEquals(1, sessions.size(), sessions::toString);
    assertNothingIsLeft();
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void whatAProgramDidUntilItWasKilledIsSaved(Jvm jvm) throws Exception {
    Process target = start(jvm, RUNS);
    RunningCommand record = outside("record", target.pid(), "-d5m", "-o", "rec.jfr");
    awaitOwnSamples(record);
    awaitFlushes(temporary);
    target.destroyForcibly();
    assertSaved(record, KILLED);
  }

  /** Nothing is waited for that it can't do. */
  @Test
  void ofAStoppedProgramIsSavedWhatThereIs() throws Exception {
    Process target = start(last(), RUNS);
    RunningCommand record = outside("record", target.pid(), "-d5m", "-o", "rec.jfr");
    awaitOwnSamples(record);
    awaitFlushes(temporary);
    run("kill", "-STOP", target.pid()).successfully();
    Ended ended = interrupt(record);
    String first = ended.err().lines().findFirst().orElseThrow();
    assertTrue(first.contains(" of 5 min, the process is stopped and can't answer: "), first);
    assertTrue(first.contains("and of JFR's own events what JFR had written until then"), first);
    assertTrue(isSampled("rec.jfr"));
    assertTrue(events(directory.resolve("rec.jfr")).containsKey("jdk.JVMInformation"));
    String[] samples = {"record", "" + target.pid(), "-d1s", "--settings=none", "-o", "none.jfr"};
    Ended none = command((Object[]) samples).successfully();
    assertTrue(none.err().contains("no sample was taken"), none.err());
    assertTrue(none.err().contains(" of 1 s, the process is stopped"), none.err());
  }

  /** What is said of its end is one line. */
  @Test
  void aProgramThatIsKilledBeforeJfrWroteHasItsSamples() throws Exception {
    Process target = start(last(), RUNS);
    RunningCommand record = outside("record", target.pid(), "-d5m", "-o", "rec.jfr");
    awaitOwnSamples(record);
    awaitFlushes(temporary);
    run("find", temporary, "-name", "*.jfr", "-delete").successfully();
    target.destroyForcibly();
    Ended ended = record.end();
    assertEquals(0, ended.exit(), ended.err());
    List<String> said =
        ended.err().lines().filter(line -> line.startsWith("stackweave: ")).toList();
    assertEquals(1, said.size(), ended.err());
    assertTrue(
        said.get(0)
            .matches(
                "stackweave: the program was killed or crashed after .* of 5 min; saved its samples"
                    + " alone: JFR had not yet written anything to .*"),
        ended.err());
    assertTrue(isSampled("rec.jfr"));
  }

  /** An event of the application's and a sample of the same moment. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void clocksAgree(Jvm jvm) throws Exception {
    List<String> arguments = List.of("-cp", Jars.apps().toString(), Marks.class.getName(), "900");
    Process target = jvm.start(directory, arguments).start();
    started.add(target);
    assertEquals("running", target.inputReader().readLine());
    RunningCommand record =
        outside("record", target.pid(), "-d10s", "-o", "rec.jfr", "--interval=1ms");
    assertEquals(0, record.end().exit());
    List<RecordedEvent> marks = new ArrayList<>();
    List<Instant> samples = new ArrayList<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(directory.resolve("rec.jfr"))) {
      String name = event.getEventType().getName();
      if (name.equals("app.Mark")) {
        marks.add(event);
      } else if (name.equals("jdk.ExecutionSample") && isOfMark(event)) {
        samples.add(event.getStartTime());
      }
    }
    Instant first = marks.get(0).getStartTime();
    Instant last = marks.get(marks.size() - 1).getEndTime();
    samples.removeIf(sample -> sample.isBefore(first) || sample.isAfter(last));
    assertTrue(samples.size() > 100, () -> "samples: " + samples.size());
    for (Instant sample : samples) {
      assertTrue(
          marks.stream()
              .anyMatch(
                  mark ->
                      !sample.isBefore(mark.getStartTime().minus(CLOCKS))
                          && !sample.isAfter(mark.getEndTime().plus(CLOCKS))),
          () -> sample + " is in no event");
    }
  }

  private static boolean isOfMark(RecordedEvent sample) {
    return sample.getStackTrace() != null
        && sample.getStackTrace().getFrames().stream()
            .anyMatch(frame -> frame.getMethod().getName().equals("burn"));
  }
}
