package stackweave.live.outside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.lab.recording.PlainRecording;
import stackweave.live.support.Jvms;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.RunningCommand;
import stackweave.testing.Starved;

/**
 * A JVM that was recorded from outside is as one that was not: beside it runs another one with the
 * same program, which gets the same commands of JFR's by {@code jcmd}, or none.
 */
class NothingIT {
  private static final String FULL_HEAP = "stackweave.lab.heap.FullHeap";
  private static final String SECONDS = "3s";
  private static final String WITHOUT_EVENTS = "JFR's own events are missing";
  private static final String SOCKET = "/tmp/.java_pid";

  @BeforeEach
  void onlyRootSamplesOthers() {
    assumeTrue(Files.isReadable(Path.of("/proc/1/mem")));
  }

  /** With JFR's events, which the JVM records itself. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void asWithTheSameCommandsOfJfr(Jdk jdk) throws Exception {
    mustBeAsWithJfr(jdk, "-XX:+UseSerialGC");
  }

  /** Samples alone. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void asUntouched(Jdk jdk) throws Exception {
    mustBeAsUntouched(jdk, "-XX:+UseG1GC");
  }

  static void mustBeAsWithJfr(Jdk jdk, String... options) throws Exception {
    ForkedJvm jvm = jvm(jdk, options);
    RunningCommand recorded = jvm.start(BusyApp.class.getName());
    RunningCommand control = jvm.start(BusyApp.class.getName());
    try {
      awaitWork(recorded, control);
      RunningCommand record = record(jvm, recorded);
      Inventory.jcmd(jdk, control.pid(), "JFR.configure");
      Inventory.jcmd(
          jdk,
          control.pid(),
          "JFR.start",
          "name=control",
          "settings=default",
          "filename=" + jvm.directory().resolve("control.jfr"),
          "dumponexit=true",
          "duration=600s",
          "+jdk.SafepointBegin#threshold=1 ms",
          "+jdk.GCLocker#threshold=0 ms");
      String said = record.end().successfully().err();
      assertFalse(said.contains("from inside") || said.contains(WITHOUT_EVENTS), said);
      Inventory.jcmd(jdk, control.pid(), "JFR.start", "name=control-clock", "settings=none");
      Inventory.jcmd(jdk, control.pid(), "JFR.stop", "name=control-clock");
      Inventory.jcmd(jdk, control.pid(), "JFR.stop", "name=control");
      compare(jdk, recorded, control);
    } finally {
      end(recorded, control);
    }
    PlainRecording recording = PlainRecording.of(jvm.directory().resolve("rec.jfr"));
    assertFalse(recording.samples.isEmpty());
    assertFalse(recording.events("jdk.CPULoad").isEmpty());
  }

  static void mustBeAsUntouched(Jdk jdk, String... options) throws Exception {
    ForkedJvm jvm = jvm(jdk, options);
    RunningCommand recorded = jvm.start(BusyApp.class.getName());
    RunningCommand control = jvm.start(BusyApp.class.getName());
    try {
      awaitWork(recorded, control);
      record(jvm, recorded, "--settings=none").end().successfully();
      assertFalse(Files.exists(Path.of(SOCKET + recorded.pid())), "attached to");
      compare(jdk, recorded, control);
    } finally {
      end(recorded, control);
    }
    PlainRecording recording = PlainRecording.of(jvm.directory().resolve("rec.jfr"));
    assertFalse(recording.samples.isEmpty());
  }

  /** A heap in which the agent has no room. */
  static void mustSurvive(Jdk jdk, String... options) throws Exception {
    ForkedJvm jvm = jvm(jdk, options).options("-Xmx32m", "-XX:+ExitOnOutOfMemoryError");
    RunningCommand control = jvm.start(FULL_HEAP, "16", "20");
    RunningCommand sampled = jvm.start(FULL_HEAP, "16", "20");
    RunningCommand record = record(jvm, sampled, "--settings=none", "--duration=10m");
    boolean survives = control.end().exit() == 0;
    assumeTrue(survives, "does not survive without");
    sampled.end().successfully();
    Ended ended = record.end();
    if (ended.err().contains("there is no process")) {
      throw Starved.because("the command began after the program's end: " + ended.err());
    }
    ended.successfully();
    assertFalse(PlainRecording.of(jvm.directory().resolve("rec.jfr")).samples.isEmpty());
  }

  static ForkedJvm jvm(Jdk jdk, String... options) {
    return Jvms.hotWithoutLibraries(jdk).options(options);
  }

  /** Until both have compiled what they run. */
  private static void awaitWork(RunningCommand... commands) throws Exception {
    Thread.sleep(1_500);
    for (RunningCommand command : commands) {
      assertTrue(command.process().isAlive(), command::what);
    }
  }

  private static RunningCommand record(ForkedJvm jvm, RunningCommand target, String... options)
      throws IOException {
    Path file = jvm.directory().resolve("rec.jfr");
    Files.deleteIfExists(file);
    List<Object> words = new ArrayList<>(List.of("record", target.pid(), "-o", file));
    words.addAll(List.of(options));
    if (Arrays.stream(options).noneMatch(option -> option.startsWith("--duration"))) {
      words.add("--duration=" + SECONDS);
    }
    List<String> command =
        Arrays.stream(ForkedJvm.agentCommand(words.toArray())).map(Object::toString).toList();
    return RunningCommand.start(new ProcessBuilder(command), jvm.directory());
  }

  private static void compare(Jdk jdk, RunningCommand recorded, RunningCommand control)
      throws Exception {
    Inventory expected = Inventory.of(jdk, control.pid());
    Inventory actual = Inventory.of(jdk, recorded.pid());
    System.out.println(jdk + ", control: " + expected.figures());
    System.out.println(jdk + ", recorded: " + actual.figures());
    actual.mustBeAsOf(expected);
    String classes = Inventory.jcmd(jdk, recorded.pid(), "GC.class_histogram");
    assertEquals(
        List.of(),
        classes
            .lines()
            .filter(line -> line.contains(" stackweave."))
            .filter(line -> !line.contains("BusyApp"))
            .toList());
  }

  private static void end(RunningCommand... commands) throws Exception {
    for (RunningCommand command : commands) {
      command.kill();
    }
  }
}
