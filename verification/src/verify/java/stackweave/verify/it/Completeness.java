package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import stackweave.testing.Jdk;
import stackweave.testing.Promise;

/** How many stacks of a run reach the thread's first frame, and whether they are enough. */
final class Completeness {
  /** docs/performance.md has 99.95 % and more; a busy machine reads some older parts too late. */
  static final double SHARE = 0.998;

  /**
   * What the rings had no room for, on a machine that others keep busy, or that stops for a time.
   */
  private static final double MAX_LOST = 0.5;

  private final Stacks stacks;
  private final long complete;

  Completeness(Stacks stacks) {
    this.stacks = stacks;
    this.complete = stacks.of(stacks::isComplete).count();
  }

  /** A JDK and a program each: the lab and the zoo. */
  static Stream<Arguments> runs() {
    return Jdk.onEnds()
        .flatMap(
            jdk ->
                Stream.of("stackweave.samples.lab.JniLab", "stackweave.samples.zoo.JniZoo")
                    .map(main -> Arguments.of(jdk, main)));
  }

  /** In one line, then how the stacks end, and some of those that are not complete. */
  void print(String run) {
    System.out.printf(
        "%s: %d of %d samples complete, %.3f %%; %s%n%s",
        run, complete, of(), 100 * share(), stacks.status(), stacks.endsTable());
    stacks.of(sample -> !stacks.isComplete(sample)).limit(3).forEach(System.out::println);
  }

  private double share() {
    return (double) complete / of();
  }

  /** Those of the file, or more where some could not be written; what was lost has no stack. */
  private long of() {
    Stacks.Status status = stacks.status();
    return Math.max(stacks.samples().size(), status.owed() - status.lost());
  }

  void check(String run) {
    Stacks.Status status = stacks.status();
    assertAll(
        () -> assertTrue(stacks.samples().size() >= 30, "samples " + status),
        () -> assertEquals(0, stacks.unresolved(), "stacks with frames that the file lacks"),
        () -> assertTrue(status.lost() <= MAX_LOST * status.owed(), "lost " + status),
        () -> Promise.atLeast("complete, " + run, SHARE, complete, of()));
  }
}
