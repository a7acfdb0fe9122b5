package stackweave.jfr.store;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Jdk;

/** As {@link RotationStormIT}, for longer, on every JDK. */
class LongStormIT {
  private static final int SECONDS = 3;

  static Stream<Arguments> storms() {
    return Jdk.all().stream()
        .flatMap(jdk -> Stream.of(Arguments.of(jdk, 1_000, 200), Arguments.of(jdk, 5_000, 25)));
  }

  @ParameterizedTest(name = "{0}, {1} samples/s, a dump every {2} ms")
  @MethodSource("storms")
  void everySampleIsExplainedByItsChunk(Jdk jdk, int rate, int dumpEvery, @TempDir Path directory)
      throws Exception {
    RotationStormIT.check(jdk, rate, dumpEvery, SECONDS, directory);
  }
}
