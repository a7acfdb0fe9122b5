package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Jdk;
import stackweave.verify.it.Runs.Run;

/** Where perf is refused by a seccomp filter, timers sample, and nobody need ask for it. */
class TimerIT {

  private static final double MIN = 0.985;

  /**
   * What the rings had no room for, on a machine that others keep busy, or that stops for a time.
   */
  private static final double MAX_LOST = 0.5;

  /** Where so few stacks end early, they say nothing of the share. */
  private static final int FEW = 3;

  static Stream<Arguments> runs() {
    return Jdks.all()
        .flatMap(
            jdk ->
                Stream.of("stackweave.samples.lab.JniLab", "stackweave.samples.zoo.JniZoo")
                    .map(main -> Arguments.of(jdk, main)));
  }

  @ParameterizedTest
  @MethodSource("runs")
  void stacksAreCompleteAndTheCpuTimeIsCovered(Jdk jdk, String main) throws IOException {
    Run run = Runs.withoutPerf(jdk, main);
    Stacks stacks = run.stacks();
    Stacks.Status status = stacks.status();
    long complete = stacks.of(stacks::isComplete).count();
    double share = (double) complete / (status.owed() - status.lost());
    double covered = (double) status.cpuCovered() / status.cpuSampled();
    System.out.printf(
        "%s on %s without perf: %d of %d samples complete, %.3f %%; %.3f of %.2f s CPU covered; %s%n%s",
        main,
        jdk,
        complete,
        status.owed(),
        100 * share,
        covered,
        status.cpuSampled() / 1e9,
        status,
        stacks.endsTable());
    stacks.of(sample -> !stacks.isComplete(sample)).limit(3).forEach(System.out::println);

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
        () -> assertTrue(stacks.samples().size() >= 30, "samples " + status),
        () -> assertEquals(0, stacks.unresolved(), "stacks with frames that the file lacks"),
        () -> assertTrue(covered > 0.3 && covered < 1.05, "covered " + covered),
        () -> assertTrue(status.lost() <= MAX_LOST * status.owed(), "lost " + status),
        () ->
            assertTrue(
                complete + FEW >= MIN * (status.owed() - status.lost()),
                () -> "complete " + share + "\n" + stacks.endsTable()));
  }
}
