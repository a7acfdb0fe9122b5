package stackweave.live.threads;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link NamespacesIT} with the other engine each, and a clock that is behind. */
class NamespacesMoreIT {

  @ParameterizedTest
  @CsvSource({
    "timer, --time --monotonic 100000",
    "perf, --time --monotonic -500",
    "perf, --pid --mount-proc"
  })
  void samplesAreOfTheirTimeAndThread(String engine, String namespace) throws Exception {
    NamespacesIT.check(engine, namespace);
  }
}
