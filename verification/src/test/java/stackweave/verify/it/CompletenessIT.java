package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Jdk;

/** How many stacks reach the thread's first frame, counted from what a user gets. */
class CompletenessIT {

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
  void stacksReachTheThreadsFirstFrame(Jdk jdk, String main) {
    Stacks stacks = Runs.of(jdk, main).stacks();
    Stacks.Status status = stacks.status();
    long complete = stacks.of(stacks::isComplete).count();
    double share = (double) complete / (status.owed() - status.lost());
    System.out.printf(
        "%s on %s: %d of %d samples complete, %.3f %%  (written %d, lost %d, dropped %d, undecodable"
            + " %d; CPU used %.2f s, covered %.2f s, drain %.3f s)%n%s",
        main,
        jdk,
        complete,
        status.owed(),
        100 * share,
        status.written(),
        status.lost(),
        status.dropped(),
        status.undecodable(),
        status.cpuUsed() / 1e9,
        status.cpuCovered() / 1e9,
        status.drainCpu() / 1e9,
        stacks.endsTable());
    stacks.of(sample -> !stacks.isComplete(sample)).limit(3).forEach(System.out::println);

    assertAll(
        () -> assertTrue(stacks.samples().size() >= 30, "samples " + status),
        () -> assertTrue(isCounted(status, stacks.samples().size()), "in the file, not " + status),
        () -> assertEquals(0, stacks.unresolved(), "stacks with frames that the file lacks"),
        () -> assertTrue(status.lost() <= MAX_LOST * status.owed(), "lost " + status),
        () ->
            assertTrue(
                complete + FEW >= MIN * (status.owed() - status.lost()),
                () -> "complete " + share + "\n" + stacks.endsTable()));
  }

  /** What is written behind the last status is not counted: on a busy machine, a good part. */
  private static boolean isCounted(Stacks.Status status, int samples) {
    return status.written() <= samples && status.written() >= 0.5 * samples;
  }
}
