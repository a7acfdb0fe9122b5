package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.BurnsCpu;
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
}
