package stackweave.live.threads;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import stackweave.live.support.Completeness;
import stackweave.live.support.Runs;
import stackweave.live.support.Runs.Run;
import stackweave.testing.ByChance;
import stackweave.testing.EventsByTime;
import stackweave.testing.Jdk;

/** Where perf is refused by a seccomp filter, timers sample, and nobody need ask for it. */
@Order(1)
@ByChance
class TimerIT {

  /** 0.92 to 0.96 on a busy machine: what is missing are the ends of threads. */
  private static final double COVERED = 0.75;

  private static final String LAB = "stackweave.samples.lab.JniLab";

  @Test
  void stacksAreCompleteAndTheCpuTimeIsCovered() {
    Runs.judge(
        () -> {
          Completeness completeness = new Completeness();
          for (Jdk jdk : Jdk.onEnds().toList()) {
            check(completeness, jdk, LAB);
          }
          check(
              completeness,
              Jdk.onNewest().findFirst().orElseThrow(),
              "stackweave.samples.zoo.JniZoo");
          completeness.check("complete without perf", COVERED);
        });
  }

  private static void check(Completeness completeness, Jdk jdk, String main) {
    Run run = Runs.withoutPerf(jdk, main);
    completeness.add(main + " on " + jdk + " without perf", run.stacks());
    RecordedEvent last =
        EventsByTime.statuses(run.ended().recording()).stream().reduce((a, b) -> b).orElseThrow();
    assertAll(
        () -> assertEquals("timer", last.getString("engine")),
        () ->
            assertEquals(
                "perf not tried: a seccomp filter may kill; engine=perf tries it",
                last.getString("engineReason")),
        () -> assertEquals(List.of(), run.ended().errLines()));
  }
}
