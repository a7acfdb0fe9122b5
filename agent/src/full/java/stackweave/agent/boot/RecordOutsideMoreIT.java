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
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.Marks;
import stackweave.testing.Ended;
import stackweave.testing.RunningCommand;

/** More of such recordings: their ends, full disks, missing rights, clocks. */
class RecordOutsideMoreIT extends OutsideRecorded {
  private static final Duration CLOCKS = Duration.ofMillis(1);
  private static final String WITHOUT_EVENTS =
      "only samples are recorded, and JFR's own events are";

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

  @Test
  void whatWasWrittenBeforeTheDiskWasFullStands() throws Exception {
    Process target = start(last(), RUNS);
    String small = "mount -t tmpfs -o size=12m tmpfs \"$0\" && exec \"$@\"";
    List<String> inNamespace = List.of("unshare", "--mount", "sh", "-c", small, own.toString());
    RunningCommand record =
        begin(inNamespace, "record", target.pid(), "-d5m", "-o", "rec.jfr", "--interval=1ms");
    own = Path.of("/proc/" + record.process().pid() + "/root" + own);
    awaitOwnSamples(record);
    assertThrows(IOException.class, () -> Files.write(own.resolve("x"), new byte[16 << 20]));
    Ended ended = record.end();
    assertEquals(0, ended.exit(), ended.err());
    String first = ended.err().lines().findFirst().orElseThrow();
    assertTrue(first.contains("(No space left on device): make room there"), first);
    assertFalse(first.contains("/proc/"), first);
    assertTrue(isSampled("rec.jfr"));
    assertTrue(target.isAlive());
  }

  /** The command is stopped meanwhile, and samples are taken until it goes on. */
  @Test
  void samplesOfALongerTimeThanAskedForAreSaid() throws Exception {
    Process target = start(last(), RUNS);
    RunningCommand record =
        outside("record", target.pid(), "-d20s", "--settings=none", "-o", "rec.jfr");
    awaitOwnSamples(record);
    run("kill", "-STOP", record.pid()).successfully();
    Thread.sleep(30_000);
    run("kill", "-CONT", record.pid()).successfully();
    Ended ended = record.end();
    assertTrue(
        ended.err().matches("(?s)stackweave: the recording is of .* 20 s were asked for\n.*"),
        ended.err());
    assertTrue(isSampled("rec.jfr"));
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void whatAProgramDidUntilItsEndIsSaved(Jvm jvm) throws Exception {
    Process target = start(jvm, RUNS);
    RunningCommand record = outside("record", target.pid(), "-d5m", "-o", "rec.jfr");
    awaitOwnSamples(record);
    target.destroy();
    assertSaved(record, ENDED);
  }

  private static boolean isOfMark(RecordedEvent sample) {
    return sample.getStackTrace() != null
        && sample.getStackTrace().getFrames().stream()
            .anyMatch(frame -> frame.getMethod().getName().equals("burn"));
  }
}
