package stackweave.live.harm;

import org.junit.jupiter.api.Test;
import stackweave.testing.ByChance;

/** Storms of many seconds: the agent's share is bounded, too. */
@ByChance
class StormsMoreIT {
  @Test
  void theAgentStaysWithinItsBounds() {
    StormsIT.check(20);
  }
}
