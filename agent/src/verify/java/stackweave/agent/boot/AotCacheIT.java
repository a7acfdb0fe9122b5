package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The JVM's ahead-of-time cache beside the agent: what the README says keeps it. */
class AotCacheIT extends AotCaches {
  /** What -javaagent and -XX:StartFlightRecording add to the modules, said before they do. */
  private static final String MODULES = "--add-modules=java.instrument,jdk.jfr";

  @ParameterizedTest
  @MethodSource("jvms")
  void cacheMadeWithTheModulesIsUsed(Jvm jvm) throws Exception {
    Path app = app();
    make(jvm, app, MODULES);
    String agent = "-javaagent:" + Jars.AGENT;
    assertUsed(jvm, app, MODULES, agent);
    assertUsed(
        jvm,
        app,
        MODULES,
        agent,
        "-XX:StartFlightRecording:filename=" + directory.resolve("r.jfr"),
        "-Xlog:jfr+startup=off");
  }

  private void assertUsed(Jvm jvm, Path app, String... options) throws Exception {
    List<String> all = new ArrayList<>(List.of(options));
    all.add("-XX:AOTMode=on"); // the JVM ends where it can't use the cache
    assertEquals("shared objects file", sourceOfHello(jvm, app, all));
  }
}
