package stackweave.verify.it;

import org.junit.jupiter.api.Test;

/** {@link LargeFramesIT} with perf, which copies less of a stack than such a frame takes. */
class LargeFramesByPerfIT {
  @Test
  void noStackHasTheCallerOfAnotherCall() {
    LargeFramesIT.check(Jdks.newest(), "perf");
  }
}
