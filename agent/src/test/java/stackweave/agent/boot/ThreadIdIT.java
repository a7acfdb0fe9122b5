package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.OwnThreadId;
import stackweave.jfr.read.SampledRecording;
import stackweave.testing.Ended;

/** The agent asks no thread of the application for what its class may answer as it likes. */
class ThreadIdIT {
  @TempDir private Path directory;

  static Stream<Jvm> jvms() {
    return Jvm.all();
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void aThreadThatRefusesItsIdIsNamedAndHasIt(Jvm jvm) throws Exception {
    Ended ended =
        jvm.run(
            directory,
            List.of(
                "-javaagent:" + Jars.AGENT,
                "-XX:StartFlightRecording:filename=rec.jfr,settings=none",
                "-cp",
                Jars.apps().toString(),
                OwnThreadId.class.getName(),
                "3"));
    String out = ended.successfully().out();
    long id = Long.parseLong(out.lines().filter(l -> l.matches("\\d+")).findFirst().orElseThrow());
    SampledRecording recording = SampledRecording.open(directory.resolve("rec.jfr"));
    Map<String, Long> ids = new TreeMap<>();
    recording.forEachSample(s -> ids.put(s.thread().name(), s.thread().javaId()));
    assertEquals(id, ids.get(OwnThreadId.NAME), ids.toString() + recording.warnings());
  }
}
