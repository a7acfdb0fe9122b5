package stackweave.live.threads;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jdks;
import stackweave.testing.Exact;
import stackweave.testing.Jdk;

/** {@link VirtualThreadsIT} with each collector, for longer. */
@Order(6)
@Exact
class VirtualThreadsMoreIT {
  private static final List<String> CONCURRENT = List.of("-XX:+UseZGC", "-XX:+UseShenandoahGC");

  static Stream<Arguments> runs() {
    return Jdks.all()
        .filter(jdk -> jdk.feature() >= VirtualThreadsIT.FIRST)
        .flatMap(
            jdk ->
                Stream.concat(VirtualThreadsIT.IN_PAUSES.stream(), CONCURRENT.stream())
                    .map(collector -> Arguments.of(jdk, collector)));
  }

  @ParameterizedTest
  @MethodSource("runs")
  void samplesAreOfTheThreadThatRan(Jdk jdk, String collector) {
    VirtualThreadsIT.check(jdk, collector, "4");
  }
}
