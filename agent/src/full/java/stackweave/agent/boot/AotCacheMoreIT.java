package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.EmptyAgent;

/** Or the test of the cache says nothing. */
class AotCacheMoreIT extends AotCaches {
  @ParameterizedTest
  @MethodSource("jvms")
  void cacheMadeWithoutThemIsNot(Jvm jvm) throws Exception {
    Path app = app();
    make(jvm, app);
    String empty = "-javaagent:" + Jars.agent(directory, EmptyAgent.class);
    assertEquals("file:" + app, sourceOfHello(jvm, app, List.of("-Xlog:aot=off", empty)));
  }
}
