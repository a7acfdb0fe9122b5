package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Jdk;

/** What the application does without the agent, it does with it. */
class NoHarmIT {

  static Stream<Arguments> enginesOnAllJdks() {
    return Jdks.all().flatMap(jdk -> Stream.of("auto", "timer").map(e -> Arguments.of(jdk, e)));
  }

  /** Ten times the usual rate, while classes come and go and code is deoptimised. */
  @ParameterizedTest
  @MethodSource("enginesOnAllJdks")
  void classLoadingDeoptimisationAndCollections(Jdk jdk, String engine) {
    String app = "stackweave.verify.it.HarmApp";
    ForkedJvm.Ended alone = ForkedJvm.on(jdk).run(app, "120").successfully();
    ForkedJvm.Ended sampled =
        ForkedJvm.on(jdk)
            .agent()
            .recording(
                "+stackweave.NativeSample#interval=1ms",
                "+stackweave.NativeSample#engine=" + engine)
            .run(app, "120")
            .successfully();
    assertEquals(alone.out(), sampled.out());
    assertEquals(List.of(), sampled.err());
    Stacks stacks = Stacks.of(sampled.recording());
    System.out.printf(
        "%s, %s, harm at 1 ms: %s%n%s", jdk, engine, stacks.status(), stacks.endsTable());
    assertTrue(stacks.samples().size() > 100, () -> "samples: " + stacks.status());
  }
}
