package stackweave.jfr.export.stall;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Recordings of JVMs with each collector. */
class CollectorsIT {
  @TempDir private Path directory;

  /** JFR's constants of collectors begin with the key 0. */
  @ParameterizedTest
  @ValueSource(strings = {Stalls.G1, Stalls.SERIAL, Stalls.PARALLEL})
  void theCollectorIsTheOneThatWasChosen(String collector) throws Exception {
    Path file = directory.resolve("chosen.jfr");
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+Use" + collector + "GC",
                "-XX:StartFlightRecording:filename=" + file,
                "-version")
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("out.txt").toFile())
            .start();
    assertEquals(0, jvm.waitFor());
    assertEquals(collector, Stalls.ofEvents(file).collector());
  }
}
