package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.OwnThreadId;
import stackweave.jfr.read.SampledRecording;

/** The agent asks no thread of the application for what its class may answer as it likes. */
class ThreadIdIT {
  @TempDir private Path directory;

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void aThreadThatRefusesItsIdIsNamedAndHasIt(Jvm jvm) throws Exception {
    List<String> arguments =
        List.of(
            "-javaagent:" + Jars.AGENT,
            "-XX:StartFlightRecording:filename=rec.jfr,settings=none",
            "-cp",
            Jars.apps().toString(),
            OwnThreadId.class.getName());
    List<String> out = new ArrayList<>();
    try (LiveJvm live = LiveJvm.start(jvm, directory, arguments, out)) {
      live.awaitSamplesOf(OwnThreadId.NAME, Duration.ofSeconds(1));
      live.end().successfully();
    }
    long id = Long.parseLong(out.stream().filter(l -> l.matches("\\d+")).findFirst().orElseThrow());
    SampledRecording recording = SampledRecording.open(directory.resolve("rec.jfr"));
    Map<String, Long> ids = new TreeMap<>();
    recording.forEachSample(s -> ids.put(s.thread().name(), s.thread().javaId()));
    assertEquals(id, ids.get(OwnThreadId.NAME), ids.toString() + recording.warnings());
  }
}
