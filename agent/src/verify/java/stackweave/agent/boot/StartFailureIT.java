package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.tools.attach.VirtualMachine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.EmptyAgent;
import stackweave.agent.apps.Waits;

/** Whatever is wrong: one line on stderr, and the application runs as if nothing were. */
class StartFailureIT extends FailedStart {
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void unknownOptionIsNamedWithTheKnownOnes(Jvm jvm) throws Exception {
    assertOneLine(
        hello(jvm, Jars.AGENT, "intervall=1ms"),
        "unknown option 'intervall' \\(known: interval, depth, engine, sample, record-failures, switch, drain, perf-memory, min-heap, hooks, memory, jit, weave, wall, blocked, wall-threads, calls, event, native-memory\\).*");
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void aJvmWithoutFlightRecorder(Jvm jvm) throws Exception {
    assertOneLine(
        hello(jvm, Jars.AGENT, null, "--limit-modules", "java.base,java.instrument"),
        ".*without JDK Flight Recorder \\(module jdk\\.jfr\\).*");
  }

  /** The property by which the JDK's own tests have such a VM. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void aVmWithoutFlightRecorder(Jvm jvm) throws Exception {
    assertOneLine(
        hello(jvm, Jars.AGENT, null, "-Djfr.unsupported.vm=true"),
        "this JVM has no Flight Recorder, where samples would go: .*");
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void aSecondStartIsIgnored(Jvm jvm) throws Exception {
    assertOneLine(
        hello(jvm, Jars.AGENT, null, "-javaagent:" + Jars.AGENT), "is already here: .* is ignored");
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void aJarWithoutItsInnerPart(Jvm jvm) throws Exception {
    Path broken = Jars.agentWithOuter(directory, Map.of("inner.jar", new byte[0]));
    assertOneLine(hello(jvm, broken, null), "could not start \\(.*lacks its inner part.*");
  }

  /** The text of an exception may have line breaks: still one line. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void anExceptionOutOfTheInnerStart(Jvm jvm) throws Exception {
    Path broken = agentThat("throw new IllegalStateException(\"first\\nsecond\");");
    assertOneLine(hello(jvm, broken, null), "could not start \\(.*first second\\).*");
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void lateAttachPrintsWhatAnEmptyAgentPrints(Jvm jvm) throws Exception {
    Path empty = Jars.agent(directory, EmptyAgent.class);
    String expected = attached(jvm, empty, null).replace(empty.toString(), "AGENT");
    String ours = attached(jvm, Jars.AGENT, "").replace(Jars.AGENT.toString(), "AGENT");
    assertEquals(expected, ours);
    String refused = attached(jvm, Jars.AGENT, "nonsense");
    assertTrue(refused.contains("stackweave: unknown option 'nonsense'"), refused);
  }

  private String attached(Jvm jvm, Path agent, String options) throws Exception {
    Path err = Files.createTempFile(directory, "err", ".txt");
    Process process =
        jvm.start(directory, List.of("-cp", Jars.apps().toString(), Waits.class.getName()))
            .redirectError(err.toFile())
            .start();
    try {
      var out = process.inputReader();
      assertEquals("running", out.readLine());
      VirtualMachine machine = VirtualMachine.attach(Long.toString(process.pid()));
      machine.loadAgent(agent.toString(), options);
      machine.detach();
      process.getOutputStream().close();
      assertEquals("done", out.readLine());
      assertTrue(process.waitFor(5, TimeUnit.MINUTES));
      assertEquals(0, process.exitValue());
      return Files.readString(err);
    } finally {
      process.destroyForcibly();
    }
  }
}
