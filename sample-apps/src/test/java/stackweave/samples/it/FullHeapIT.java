package stackweave.samples.it;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.samples.matrix.Jdk;

/**
 * Programs that leave little of their heap free live with the agent if they live without; {@code
 * sample-apps/heap} tries many more.
 */
class FullHeapIT {
  private static final String MAIN = "stackweave.samples.heap.FullHeap";

  @ParameterizedTest
  @CsvSource({"17, 64, 40", "17, 32, 25.6", "17, 256, 235", "25, 256, 235", "25, 64, 57.6"})
  void livesAsWithoutSampling(int feature, int heap, double live) {
    ForkedJvm.Ended ended = run(feature, heap, Double.toString(live), "3");
    assertTrue(
        ended.out().stream().anyMatch(line -> line.startsWith("FULL HEAP done")), ended.what());
  }

  private static ForkedJvm.Ended run(int feature, int heap, String... args) {
    Jdk jdk = Jdks.all().filter(each -> each.feature() == feature).findFirst().orElse(null);
    assumeTrue(jdk != null, "no JDK " + feature);
    return ForkedJvm.on(jdk)
        .withoutLibraries()
        .agent()
        .recording()
        .options("-Xmx" + heap + "m", "-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError")
        .run(MAIN, args)
        .successfully();
  }
}
