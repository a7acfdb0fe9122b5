package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Ended;

/** More starts that go wrong. */
class StartFailureMoreIT extends FailedStart {
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
            directory,
            Map.of("stackweave/stackweave/agent/option/Options.class", new byte[] {1, 2, 3}));
    assertOneLine(hello(jvm, broken, null), "could not start \\(java.lang.ClassFormatError.*");
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
}
