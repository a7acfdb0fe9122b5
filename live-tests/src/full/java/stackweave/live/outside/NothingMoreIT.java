package stackweave.live.outside;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.live.support.Jdks;
import stackweave.testing.Jdk;

/** All JDKs and all collectors. */
class NothingMoreIT {
  private static final int OLDEST_GENERATIONAL_SHENANDOAH = 25;

  static Stream<Arguments> all() {
    return Stream.concat(
        with(
            Jdks.all(),
            "-XX:+UseSerialGC",
            "-XX:+UseParallelGC",
            "-XX:+UseG1GC",
            "-XX:+UseShenandoahGC",
            "-XX:+UseZGC"),
        with(
            Jdks.all().filter(jdk -> jdk.feature() >= OLDEST_GENERATIONAL_SHENANDOAH),
            "-XX:+UseShenandoahGC -XX:ShenandoahGCMode=generational"));
  }

  private static Stream<Arguments> with(Stream<Jdk> jdks, String... options) {
    return jdks.flatMap(jdk -> Arrays.stream(options).map(option -> Arguments.of(jdk, option)));
  }

  @ParameterizedTest
  @MethodSource("all")
  void asWithTheSameCommandsOfJfr(Jdk jdk, String options) throws Exception {
    NothingIT.mustBeAsWithJfr(jdk, options.split(" "));
  }

  /** One whose policy grants nothing. */
  @ParameterizedTest
  @ValueSource(ints = 17)
  void asWithTheSameCommandsUnderASecurityManager(int feature) throws Exception {
    Jdk jdk = Jdks.all().filter(each -> each.feature() == feature).findFirst().orElse(null);
    assumeTrue(jdk != null, "no JDK " + feature);
    Path policy = Files.createTempFile(NothingIT.jvm(jdk).directory(), "nothing", ".policy");
    NothingIT.mustBeAsWithJfr(
        jdk, "-Djava.security.manager", "-Djava.security.policy==" + policy, "-XX:+UseSerialGC");
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
