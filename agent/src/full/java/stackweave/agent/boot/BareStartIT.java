package stackweave.agent.boot;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.Works;

/** A recording as the documentation says: no name, no file, no setting. */
class BareStartIT {
  @TempDir private Path directory;

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void aBareStartSamples(Jvm jvm) throws Exception {
    List<String> arguments =
        List.of("-javaagent:" + Jars.AGENT, "-cp", Jars.apps().toString(), Works.class.getName());
    try (LiveJvm live = LiveJvm.start(jvm, directory, arguments, new ArrayList<>())) {
      live.jcmd(jvm, directory, "JFR.start");
      live.awaitSamplesOf("busy", Duration.ofSeconds(1));
      live.jcmd(jvm, directory, "JFR.dump", "filename=bare.jfr");
      DrivenIT.assertHasSamples(directory.resolve("bare.jfr"), 5);
      live.end();
    }
  }
}
