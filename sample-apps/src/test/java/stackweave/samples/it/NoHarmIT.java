package stackweave.samples.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.samples.it.Jdks.Jdk;

/** What the application does without the agent, it does with it. */
class NoHarmIT {

  private static final String REFUSE_PERF =
      Path.of("target/native/refuse_perf").toAbsolutePath().toString();

  /** Ten times the usual rate, while classes come and go and code is deoptimised. */
  @ParameterizedTest
  @MethodSource("stackweave.samples.it.Jdks#all")
  void classLoadingDeoptimisationAndCollections(Jdk jdk) {
    String app = "stackweave.samples.it.HarmApp";
    ForkedJvm.Ended alone = ForkedJvm.on(jdk).run(app, "400").successfully();
    ForkedJvm.Ended sampled =
        ForkedJvm.on(jdk)
            .agent()
            .recording("+stackweave.NativeSample#interval=1ms")
            .run(app, "400")
            .successfully();
    assertEquals(alone.out(), sampled.out());
    assertEquals(List.of(), sampled.err());
    Stacks stacks = Stacks.of(sampled.recording());
    System.out.printf("%s, harm at 1 ms: %s%n%s", jdk, stacks.status(), stacks.endsTable());
    assertTrue(stacks.samples().size() > 1_000, () -> "samples: " + stacks.status());
  }

  @ParameterizedTest
  @MethodSource("stackweave.samples.it.Jdks#all")
  void perfRefusedBySeccomp(Jdk jdk) {
    String app = "stackweave.samples.lab.JniLab";
    ForkedJvm.Ended alone =
        ForkedJvm.on(jdk).options("-Dsamples.clock=cpu").run(app, "0.1").successfully();
    ForkedJvm.Ended refused =
        ForkedJvm.on(jdk)
            .under(REFUSE_PERF)
            .agent()
            .recording()
            .options("-Dsamples.clock=cpu")
            .run(app, "2")
            .successfully();
    assertEquals(alone.out(), refused.out());
    System.out.printf("%s, perf refused: %s%n", jdk, refused.err());
    assertEquals(1, refused.err().size(), () -> "standard error: " + refused.err());
    String line = refused.err().get(0);
    assertTrue(line.startsWith("stackweave") && line.contains("perf_event_open"), line);
    assertEquals(0, Stacks.of(refused.recording()).samples().size());
  }
}
