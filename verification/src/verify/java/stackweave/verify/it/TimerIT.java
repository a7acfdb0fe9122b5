package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Jdk;
import stackweave.verify.it.Runs.Run;

/** Where perf is refused by a seccomp filter, timers sample, and nobody need ask for it. */
class TimerIT {

  @ParameterizedTest
  @MethodSource("stackweave.verify.it.Completeness#runs")
  void stacksAreCompleteAndTheCpuTimeIsCovered(Jdk jdk, String main) throws IOException {
    Run run = Runs.withoutPerf(jdk, main);
    Stacks stacks = run.stacks();
    Stacks.Status status = stacks.status();
    double covered = (double) status.cpuCovered() / status.cpuSampled();
    Completeness completeness = new Completeness(stacks);
    completeness.print(main + " on " + jdk + " without perf");
    completeness.check();
    List<RecordedEvent> events = RecordingFile.readAllEvents(run.ended().recording());
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
