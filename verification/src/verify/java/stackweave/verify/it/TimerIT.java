package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.ByChance;
import stackweave.testing.Jdk;
import stackweave.verify.it.Runs.Run;

/** Where perf is refused by a seccomp filter, timers sample, and nobody need ask for it. */
@Order(1)
@ByChance
class TimerIT {

  static Stream<Arguments> runs() {
    return Stream.concat(
        Jdk.onEnds().map(jdk -> Arguments.of(jdk, "stackweave.samples.lab.JniLab")),
        Jdk.onNewest().map(jdk -> Arguments.of(jdk, "stackweave.samples.zoo.JniZoo")));
  }

  @ParameterizedTest
  @MethodSource("runs")
  void stacksAreCompleteAndTheCpuTimeIsCovered(Jdk jdk, String main) {
    Run run = Runs.withoutPerf(jdk, main);
    Runs.judge(run, stacks -> check(main + " on " + jdk + " without perf", run, stacks));
  }

  private static void check(String what, Run run, Stacks stacks) {
    Stacks.Status status = stacks.status();
    double covered = (double) status.cpuCovered() / status.cpuSampled();
    Completeness completeness = new Completeness(stacks);
    completeness.print(what);
    completeness.check(what);
    List<RecordedEvent> events = Waits.eventsOf(run.ended().recording());
    RecordedEvent last =
        events.stream()
            .filter(event -> event.getEventType().getName().equals("stackweave.SamplerStatus"))
            .reduce((a, b) -> b)
            .orElseThrow();
    assertAll(
        () -> assertEquals("timer", last.getString("engine")),
        () ->
            assertEquals(
                "perf not tried: a seccomp filter may kill; engine=perf tries it",
                last.getString("engineReason")),
        () -> assertEquals(List.of(), run.ended().errLines()),
        () -> assertTrue(covered > 0.3 && covered < 1.05, "covered " + covered));
  }
}
