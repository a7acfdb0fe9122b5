package stackweave.live.harm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jdks;
import stackweave.live.support.Jvms;
import stackweave.live.support.Stacks;
import stackweave.testing.Ended;
import stackweave.testing.EventsByTime;
import stackweave.testing.Jdk;

/** What the application does without the agent, it does with it. */
class NoHarmIT {

  /** An engine on each JDK, the other one on the next: lab/chaos has them all. */
  static Stream<Arguments> runs() {
    List<Jdk> jdks = Jdks.all().toList();
    return IntStream.range(0, jdks.size())
        .mapToObj(i -> Arguments.of(jdks.get(i), i % 2 == 0 ? "auto" : "timer"));
  }

  /** Ten times the usual rate, while classes come and go and code is deoptimised. */
  @ParameterizedTest
  @MethodSource("runs")
  void classLoadingDeoptimisationAndCollections(Jdk jdk, String engine) {
    String app = "stackweave.live.harm.HarmApp";
    Ended alone = Jvms.hot(jdk).run(app, "60").successfully();
    Ended sampled =
        Jvms.hot(jdk)
            .agent()
            .recording(
                "+stackweave.NativeSample#interval=1ms",
                "+stackweave.NativeSample#engine=" + engine)
            .run(app, "60", "sampled")
            .successfully();
    assertEquals(alone.outLines(), sampled.outLines());
    assertEquals(List.of(), sampled.errLines());
    Stacks stacks = Stacks.of(sampled.recording());
    System.out.printf(
        "%s, %s, harm at 1 ms: %s%n%s", jdk, engine, stacks.status(), stacks.endsTable());
    assertTrue(stacks.samples().size() > 30, () -> "samples: " + stacks.status());
  }

  /** An engine that ended because of it would take the descriptors that it had, and end again. */
  @Test
  void engineStaysWhereNoDescriptorIsLeft() throws IOException {
    Ended ended =
        Jvms.hotWithoutLibraries(Jdks.oldest())
            .under("sh", "-c", "ulimit -n 400; exec \"$0\" \"$@\"")
            .agent("engine=timer", "interval=2ms")
            .recording()
            .run("stackweave.live.harm.DescriptorsApp", "5")
            .successfully();
    long statuses = EventsByTime.statuses(ended.recording()).size();
    assertTrue(statuses < 40, statuses + " statuses");
    assertTrue(Stacks.of(ended.recording()).samples().size() > 10);
  }
}
