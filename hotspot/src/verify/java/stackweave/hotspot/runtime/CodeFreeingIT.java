package stackweave.hotspot.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import stackweave.testing.Commands;
import stackweave.testing.Jdk;

/** Which collections count as such that free compiled code, by the default collector. */
class CodeFreeingIT {
  @TestFactory
  Stream<DynamicTest> fullCollectionsAndNotYoungOnes() {
    return Jdk.onEnds().map(jdk -> test(jdk, "UseG1GC"));
  }

  static DynamicTest test(Jdk jdk, String collector) {
    return DynamicTest.dynamicTest(
        jdk + " " + collector,
        () -> {
          String said = run(jdk, "-XX:+" + collector);
          assertTrue(said.startsWith("young 0, full 1,"), said);
        });
  }

  @TestFactory
  Stream<DynamicTest> notKnownOfOthers() {
    return Jdk.onNewest()
        .map(
            jdk ->
                DynamicTest.dynamicTest(
                    jdk.toString(),
                    () -> {
                      assertEquals("not told", run(jdk, "-XX:+UseZGC").strip());
                      assertEquals("not told", run(jdk, "-XX:-UsePerfData").strip());
                    }));
  }

  private static String run(Jdk jdk, String option) throws Exception {
    return Commands.run(
            jdk.java(),
            "-XX:TieredStopAtLevel=1",
            "-Xmx256m",
            "-Xmn16m",
            "-Xms256m", // in less, a concurrent cycle begins, which rightly counts
            option,
            "-cp",
            System.getProperty("java.class.path"),
            FreeingCounts.class.getName())
        .successfully()
        .out();
  }
}
