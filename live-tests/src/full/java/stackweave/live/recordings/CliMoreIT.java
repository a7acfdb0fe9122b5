package stackweave.live.recordings;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.testing.Ended;
import stackweave.testing.Jdk;

/** {@code java -jar stackweave-agent.jar …} on what is no recording. */
class CliMoreIT {

  @TempDir Path directory;

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void missingAndBrokenInput(Jdk jdk) throws IOException {
    Path empty = Files.createFile(directory.resolve("empty.jfr"));
    Path noise = directory.resolve("noise.jfr");
    byte[] bytes = new byte[10_000];
    new Random(1).nextBytes(bytes);
    Files.write(noise, bytes);
    for (String command : List.of("collapsed", "flamegraph")) {
      for (Path input : List.of(directory.resolve("missing.jfr"), empty, noise, directory)) {
        Ended ended = Jvms.commandLine(jdk, command, input.toString());
        assertAll(
            () -> assertEquals(2, ended.exit(), ended::what),
            () -> assertEquals(1, ended.errLines().size(), () -> ended.what() + ended.errLines()),
            () -> assertTrue(ended.errLines().get(0).contains(input.getFileName().toString())),
            () -> assertEquals(List.of(), ended.outLines()));
      }
    }
  }
}
