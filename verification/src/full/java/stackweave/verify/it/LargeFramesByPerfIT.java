package stackweave.verify.it;

import org.junit.jupiter.api.Test;
import stackweave.testing.Exact;

/** {@link LargeFramesIT} with perf, which copies less of a stack than such a frame takes. */
@Exact
class LargeFramesByPerfIT {
  @Test
  void noStackHasTheCallerOfAnotherCall() {
    LargeFramesIT.check(Jdks.newest(), "perf");
  }
}
