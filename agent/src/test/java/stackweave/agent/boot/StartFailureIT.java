package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.EmptyAgent;
import stackweave.agent.apps.Hello;
import stackweave.agent.apps.Waits;
import stackweave.testing.Ended;

/** Whatever is wrong: one line on stderr, and the application runs as if nothing were. */
class StartFailureIT {

  @TempDir private Path directory;

  static Stream<Jvm> jvms() {
    return Jvm.all();
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void unknownOptionIsNamedWithTheKnownOnes(Jvm jvm) throws Exception {
    assertOneLine(
        hello(jvm, Jars.AGENT, "intervall=1ms"),
        "unknown option 'intervall' \\(known: interval, depth, engine, sample, record-failures, switch, drain, perf-memory, min-heap, hooks, memory, jit, schema, weave, wall, blocked, wall-threads, calls, event, native-memory\\).*");
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void wrongValueIsNamedWithWhatIsWanted(Jvm jvm) throws Exception {
    assertOneLine(
        hello(jvm, Jars.AGENT, "interval=soon"), "option 'interval' can't be 'soon' \\(wanted.*");
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void knownOptionsSayNothing(Jvm jvm) throws Exception {
    Ended result = hello(jvm, Jars.AGENT, "interval=1ms,depth=512,engine=perf,sample=explicit");
    assertEquals("hello on stderr\n", result.err());
    assertEquals(0, result.exit());
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void aJvmWithoutFlightRecorder(Jvm jvm) throws Exception {
    assertOneLine(
        hello(jvm, Jars.AGENT, null, "--limit-modules", "java.base,java.instrument"),
        ".*without JDK Flight Recorder \\(module jdk\\.jfr\\).*");
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void aSecondStartIsIgnored(Jvm jvm) throws Exception {
    assertOneLine(
        hello(jvm, Jars.AGENT, null, "-javaagent:" + Jars.AGENT), "is already here: .* is ignored");
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void aJarWithoutItsInnerPart(Jvm jvm) throws Exception {
    Path broken = Jars.agentWithOuter(directory, Map.of("inner.jar", new byte[0]));
    assertOneLine(hello(jvm, broken, null), "could not start \\(.*lacks its inner part.*");
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void aJarWithADamagedIndex(Jvm jvm) throws Exception {
    byte[] index = Jars.read(Jars.AGENT, "inner.index");
    for (int i = 4; i < index.length; i += 16) {
      index[i + 3] ^= 1;
    }
    Path broken = Jars.agentWithOuter(directory, Map.of("inner.index", index));
    assertOneLine(hello(jvm, broken, null), "could not start \\(.*is damaged.*");
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void aJarThatWasCutShort(Jvm jvm) throws Exception {
    byte[] inner = Jars.read(Jars.AGENT, "inner.jar");
    Path broken =
        Jars.agentWithOuter(
            directory, Map.of("inner.jar", Arrays.copyOf(inner, inner.length / 100)));
    assertOneLine(hello(jvm, broken, null), "could not start \\(.*");
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void aDamagedClass(Jvm jvm) throws Exception {
    Path broken =
        Jars.agentWith(
            directory, Map.of("stackweave/stackweave/agent/Options.class", new byte[] {1, 2, 3}));
    assertOneLine(hello(jvm, broken, null), "could not start \\(java.lang.ClassFormatError.*");
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
  void anErrorOutOfTheInnerStart(Jvm jvm) throws Exception {
    assertOneLine(
        hello(jvm, agentThat("start(options, instrumentation);"), null),
        "could not start \\(java.lang.StackOverflowError\\).*");
    assertOneLine(
        hello(jvm, agentThat("long[] a = new long[Integer.MAX_VALUE];"), null),
        "could not start \\(java.lang.OutOfMemoryError.*");
  }

  @ParameterizedTest
  @MethodSource("jvms")
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

  private static void assertOneLine(Ended result, String message) {
    assertEquals("hello\n", result.out());
    assertEquals(0, result.exit());
    List<String> lines = result.err().lines().toList();
    assertEquals(2, lines.size(), result.err());
    assertTrue(Pattern.matches("stackweave: " + message, lines.get(0)), result.err());
    assertEquals("hello on stderr", lines.get(1));
  }

  private Ended hello(Jvm jvm, Path agent, String options, String... more) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.add("-javaagent:" + agent + (options == null ? "" : "=" + options));
    arguments.addAll(List.of("-cp", Jars.apps().toString(), Hello.class.getName()));
    return jvm.run(directory, arguments);
  }

  /** Our jar, with a start() of which this is the body. */
  private Path agentThat(String body) throws IOException {
    Path source = Files.createDirectories(directory.resolve("src")).resolve("Agent.java");
    Files.writeString(
        source,
        """
        package stackweave.agent;
        public class Agent {
          public static void start(
              String options, java.lang.instrument.Instrumentation instrumentation) {
            %s
          }
        }
        """
            .formatted(body));
    String classes = directory.toString();
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "--release", "17", "-d", classes, source.toString());
    assertEquals(0, failed);
    byte[] compiled = Files.readAllBytes(directory.resolve("stackweave/agent/Agent.class"));
    return Jars.agentWith(directory, Map.of("stackweave/stackweave/agent/Agent.class", compiled));
  }
}
