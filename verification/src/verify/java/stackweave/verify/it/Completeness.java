package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** How many stacks of a run reach the thread's first frame, and whether they are enough. */
final class Completeness {
  private static final double MIN = 0.985;

  /**
   * What the rings had no room for, on a machine that others keep busy, or that stops for a time.
   */
  private static final double MAX_LOST = 0.5;

  /** Where so few stacks end early, they say nothing of the share. */
  private static final int FEW = 3;

  private final Stacks stacks;
  private final long complete;

  Completeness(Stacks stacks) {
    this.stacks = stacks;
    this.complete = stacks.of(stacks::isComplete).count();
  }

  /** A JDK and a program each: all JDKs, the lab and the zoo. */
  static Stream<Arguments> runs() {
    return Jdks.all()
        .flatMap(
            jdk ->
                Stream.of("stackweave.samples.lab.JniLab", "stackweave.samples.zoo.JniZoo")
                    .map(main -> Arguments.of(jdk, main)));
  }

  /** In one line, then how the stacks end, and some of those that are not complete. */
  void print(String run) {
    System.out.printf(
        "%s: %d of %d samples complete, %.3f %%; %s%n%s",
        run, complete, stacks.status().owed(), 100 * share(), stacks.status(), stacks.endsTable());
    stacks.of(sample -> !stacks.isComplete(sample)).limit(3).forEach(System.out::println);
  }

  private double share() {
    return (double) complete / kept();
  }

  private long kept() {
    return stacks.status().owed() - stacks.status().lost();
  }

  void check() {
    Stacks.Status status = stacks.status();
    assertAll(
        () -> assertTrue(stacks.samples().size() >= 30, "samples " + status),
        () -> assertEquals(0, stacks.unresolved(), "stacks with frames that the file lacks"),
        () -> assertTrue(status.lost() <= MAX_LOST * status.owed(), "lost " + status),
        () ->
            assertTrue(
                complete + FEW >= MIN * kept(),
                () -> "complete " + share() + "\n" + stacks.endsTable()));
  }
}
