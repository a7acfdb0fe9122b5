package stackweave.engine.probe;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import com.sun.jna.Native;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import stackweave.engine.probe.AllocationProbes.NotNowException;
import stackweave.engine.probe.AllocationProbes.RefusedException;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.CallPolicy;

@Isolated
class AllocationProbesIT {
  private static final int TRIES = 5;

  /** With all probes it would have some ten thousand calls a second, near to what is permitted. */
  private static final long CALLS_BY_ONE_PROBE = 200_000;

  private volatile boolean over;

  /** Placing all of them, and taking them away, would slow it down for a second. */
  @Test
  void aProgramThatAllocatesAllTheTimeGetsOneProbe() throws Exception {
    Thread allocating = new Thread(this::allocate, "allocating");
    allocating.start();
    long most = 0;
    try {
      for (int i = 0; i < TRIES && most < CALLS_BY_ONE_PROBE; i++) {
        most = Math.max(most, callsThatAreTooMany());
      }
    } finally {
      over = true;
      allocating.join();
    }
    assertTrue(most >= CALLS_BY_ONE_PROBE, most + " calls a second");
  }

  private void allocate() {
    while (!over) {
      Native.free(Native.malloc(64));
    }
  }

  /** As the refusal says; 0 if the thread had no CPU meanwhile. */
  private static long callsThatAreTooMany() {
    try {
      AllocationProbes.open(CallPolicy.ofThread(Set.of()), SampledProcess.OWN, 13).close();
      return 0;
    } catch (RefusedException e) {
      return abort(e.getMessage());
    } catch (NotNowException e) {
      String rate = e.getMessage().replaceAll(".* called ([\\d,]+) times a second.*", "$1");
      return Long.parseLong(rate.replace(",", ""));
    }
  }
}
