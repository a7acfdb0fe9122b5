package stackweave.live.harm;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.live.support.Jdks;
import stackweave.live.support.Jvms;
import stackweave.testing.Ended;
import stackweave.testing.Jdk;

/**
 * Programs that leave little of their heap free live with the agent if they live without; {@code
 * lab/heap} tries many more.
 */
@Order(3)
class FullHeapIT {
  static final String MAIN = "stackweave.lab.heap.FullHeap";

  @ParameterizedTest
  @CsvSource({"17, 64, 40", "25, 64, 51.2"})
  void livesAsWithoutSampling(int feature, int heap, double live) {
    livesAsWithoutSampling(feature, heap, live, "1.5");
  }

  static void livesAsWithoutSampling(int feature, int heap, double live, String seconds) {
    List<String> agent = List.of("min-heap=48");
    Ended ended = run(feature, heap, agent, List.of(), Double.toString(live), seconds);
    assertTrue(
        ended.outLines().stream().anyMatch(line -> line.startsWith("FULL HEAP done")),
        ended.what());
  }

  static Ended run(
      int feature, int heap, List<String> agent, List<String> options, String... args) {
    Jdk jdk = Jdks.all().filter(each -> each.feature() == feature).findFirst().orElse(null);
    assumeTrue(jdk != null, "no JDK " + feature);
    return Jvms.hotWithoutLibraries(jdk)
        .agent(agent.toArray(new String[0]))
        .recording()
        .options("-Xmx" + heap + "m", "-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError")
        .options(options.toArray(new String[0]))
        .run(MAIN, args)
        .successfully();
  }
}
