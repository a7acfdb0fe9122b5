package stackweave.agent.boot;

import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The JVM's ahead-of-time cache beside the agent: what the README says keeps it. */
class AotCacheIT extends AotCaches {
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
}
