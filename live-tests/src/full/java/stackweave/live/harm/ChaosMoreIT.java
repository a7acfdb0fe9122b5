package stackweave.live.harm;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jdks;
import stackweave.testing.Jdk;

/** The antagonists that need no JVM of their own, all at once. */
class ChaosMoreIT {
  private static final String MIX =
      "deopt+unload+redefine+threads+dlclose+fork+stackoverflow+stacks+masks";
  private static final double SECONDS = 4;

  /** The best engine that this machine allows, and the one that all allow. */
  static Stream<Arguments> runs() {
    return Stream.of(Arguments.of(Jdks.oldest(), "auto"), Arguments.of(Jdks.newest(), "timer"));
  }

  /** No crash, no hang, no lost result. */
  @ParameterizedTest
  @MethodSource("runs")
  void theApplicationComesToItsResults(Jdk jdk, String engine) throws Exception {
    ChaosIT.run(MIX, jdk, engine, SECONDS);
  }
}
