package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Jdk;
import stackweave.verify.chaos.Chaos;

/**
 * {@code verification/chaos} in short: the antagonists that need no JVM of their own, all at once.
 */
class ChaosIT {
  private static final String MIX =
      "deopt+unload+redefine+threads+dlclose+fork+stackoverflow+stacks+masks";
  private static final double SECONDS = 4;

  /** The best engine that this machine allows, and the one that all allow. */
  static Stream<Arguments> runs() {
    List<Jdk> jdks = Jdks.all().toList();
    return Stream.of(
        Arguments.of(jdks.get(0), "auto"), Arguments.of(jdks.get(jdks.size() - 1), "timer"));
  }

  /** No crash, no hang, no lost result. */
  @ParameterizedTest
  @MethodSource("runs")
  void theApplicationComesToItsResults(Jdk jdk, String engine) throws Exception {
    List<String> run = Chaos.shortRun(MIX, jdk, engine, SECONDS);
    System.out.println(run.get(0));
    assertEquals("", run.get(1));
  }
}
