package stackweave.live.harm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.lab.chaos.Chaos;
import stackweave.testing.Jdk;
import stackweave.testing.Starved;

/** {@code lab/chaos} in short: libraries that go, and stacks that overflow. */
class ChaosIT {
  private static final String MIX = "dlclose+stackoverflow";
  private static final double SECONDS = 1.5;

  /** The sampler's note where that is why there are no samples. */
  private static final String STARVED = "the drain thread got too little CPU time";

  /** No crash, no hang, no lost result. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void theApplicationComesToItsResults(Jdk jdk) throws Exception {
    run(MIX, jdk, "auto", SECONDS);
  }

  static void run(String mix, Jdk jdk, String engine, double seconds) throws Exception {
    List<String> run = Chaos.shortRun(mix, jdk, engine, seconds);
    System.out.println(run.get(0));
    if (run.get(1).startsWith("no samples") && run.get(1).contains(STARVED)) {
      throw Starved.because(run.get(1));
    }
    assertEquals("", run.get(1));
  }
}
