package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The command line on running JVMs: what can be wrong, and agents that are there already. */
@Order(4)
class AttachMoreIT extends AttachedProgram {
  @ParameterizedTest
  @MethodSource("jvms")
  void attachesTwiceAndDetachesWithoutATrace(Jvm jvm) throws Exception {
    attachAndDetach(jvm, 2);
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Container#publicJvms")
  void recordsInAContainerOfAnotherUser(Jvm jvm) throws Exception {
    recordInContainer(jvm);
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
    assertFailed(command("attach", refusing), ".*it runs with -XX:.DisableAttachMechanism; .*");
    long bare = startWaiting(jvm, "--limit-modules=java.base,java.instrument").pid();
    assertFailed(command("attach", bare), ".*without JDK Flight Recorder.*");
    // The last of both counts.
    String[] overridden = {"-XX:+DisableAttachMechanism", "-XX:-DisableAttachMechanism"};
    long good = startWaiting(jvm, overridden).pid();
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

  static Stream<Jvm> jvms() {
    return Jvm.all();
  }
}
