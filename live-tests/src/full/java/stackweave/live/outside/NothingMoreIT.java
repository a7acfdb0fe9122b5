package stackweave.live.outside;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jdks;
import stackweave.testing.Jdk;

/** All JDKs and all collectors. */
class NothingMoreIT {
  private static final int OLDEST_GENERATIONAL_SHENANDOAH = 25;

  static Stream<Arguments> all() {
    return Stream.concat(
        NothingIT.with(
            Jdks.all(),
            "-XX:+UseSerialGC",
            "-XX:+UseParallelGC",
            "-XX:+UseG1GC",
            "-XX:+UseShenandoahGC",
            "-XX:+UseZGC"),
        NothingIT.with(
            Jdks.all().filter(jdk -> jdk.feature() >= OLDEST_GENERATIONAL_SHENANDOAH),
            "-XX:+UseShenandoahGC -XX:ShenandoahGCMode=generational"));
  }

  @ParameterizedTest
  @MethodSource("all")
  void asWithTheSameCommandsOfJfr(Jdk jdk, String options) throws Exception {
    NothingIT.mustBeAsWithJfr(jdk, options.split(" "));
  }

  @ParameterizedTest
  @MethodSource("all")
  void asUntouched(Jdk jdk, String options) throws Exception {
    NothingIT.mustBeAsUntouched(jdk, options.split(" "));
  }

  @ParameterizedTest
  @MethodSource("all")
  void aSmallHeapIsLeftToTheProgram(Jdk jdk, String options) throws Exception {
    NothingIT.mustSurvive(jdk, options.split(" "));
  }
}
