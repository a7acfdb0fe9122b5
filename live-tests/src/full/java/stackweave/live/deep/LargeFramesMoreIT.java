package stackweave.live.deep;

import org.junit.jupiter.api.Test;
import stackweave.testing.Exact;

/** {@link LargeFramesIT} with other engines. */
@Exact
class LargeFramesMoreIT {
  @Test
  void withTimersAllThatIsCopiedIsSure() {
    LargeFramesIT.check("timer", 0);
  }

  /** Nothing copies the rest at the interrupt. */
  @Test
  void withEventsOfThreadsTheCallerIsAGuess() {
    LargeFramesIT.check("perf-thread", 0);
  }
}
