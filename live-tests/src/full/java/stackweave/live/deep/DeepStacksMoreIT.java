package stackweave.live.deep;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jdks;
import stackweave.testing.Exact;
import stackweave.testing.Jdk;

/** Deep stacks of all compilers, and of threads that go up and down in other ways. */
@Order(4)
@Exact
class DeepStacksMoreIT {
  private static final List<DeepStacksIT.Mode> MODES =
      List.of(
          new DeepStacksIT.Mode("-Xint", "200ms", "8000", "java", "-Xint"),
          new DeepStacksIT.Mode(
              "interpreted",
              "2ms",
              "1200",
              "java",
              "-XX:CompileCommand=quiet",
              "-XX:CompileCommand=exclude,stackweave.live.deep.DeepApp::*"),
          new DeepStacksIT.Mode("C1", "2ms", "1200", "java", "-XX:TieredStopAtLevel=1"),
          new DeepStacksIT.Mode(
              "C1 at safepoints",
              "1ms",
              "1200",
              "java",
              "-XX:TieredStopAtLevel=1",
              "-XX:+UnlockDiagnosticVMOptions",
              "-XX:+SafepointALot",
              "-XX:GuaranteedSafepointInterval=1"),
          new DeepStacksIT.Mode("C2", "2ms", "1200", "java", "-XX:-TieredCompilation"),
          new DeepStacksIT.Mode("C", "2ms", "1200", "native"));

  static Stream<Arguments> modes() {
    // What is interpreted or of C1 is alike on all; the slow agent is what -Xint adds.
    Jdk newest = Jdks.newest();
    return Jdks.all()
        .flatMap(
            jdk ->
                MODES.stream()
                    .filter(mode -> jdk.equals(newest) || mode.name().matches("C|C2"))
                    .map(mode -> Arguments.of(jdk, mode)));
  }

  @ParameterizedTest
  @MethodSource("modes")
  void aRecursionReachesItsRootWithEveryFrame(Jdk jdk, DeepStacksIT.Mode mode) {
    DeepStacksIT.checkRecursion(jdk, mode);
  }

  static Stream<Arguments> moving() {
    // What is tested is not HotSpot's: one JDK is enough.
    return Stream.of("moving", "blind")
        .flatMap(
            app -> Stream.of("0", "1000000").map(nanos -> Arguments.of(Jdks.newest(), app, nanos)));
  }

  /** What is at the bottom and what is at the root belong together, or the root is not shown. */
  @ParameterizedTest
  @MethodSource("moving")
  void aThreadThatGoesUpAndDownGetsNoCallersOfAnotherTime(Jdk jdk, String app, String nanos) {
    DeepStacksIT.checkMoving(jdk, DeepStacksIT.COMPILED, app, nanos);
  }
}
