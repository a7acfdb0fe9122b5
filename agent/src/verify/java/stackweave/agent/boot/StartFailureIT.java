package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.EmptyAgent;

/** Whatever is wrong: one line on stderr, and the application runs as if nothing were. */
class StartFailureIT extends FailedStart {
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void unknownOptionIsNamedWithTheKnownOnes(Jvm jvm) throws Exception {
    assertOneLine(
        hello(jvm, Jars.AGENT, "intervall=1ms"),
        "unknown option 'intervall' \\(known: interval, depth, engine, sample, record-failures, switch, drain, perf-memory, min-heap, hooks, memory, jit, schema, weave, wall, blocked, wall-threads, calls, event, native-memory\\).*");
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void aJvmWithoutFlightRecorder(Jvm jvm) throws Exception {
    assertOneLine(
        hello(jvm, Jars.AGENT, null, "--limit-modules", "java.base,java.instrument"),
        ".*without JDK Flight Recorder \\(module jdk\\.jfr\\).*");
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
}
