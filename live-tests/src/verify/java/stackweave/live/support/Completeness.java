package stackweave.live.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import stackweave.testing.Promise;

/** How many stacks of some runs reach the thread's first frame, and whether they are enough. */
public final class Completeness {
  /** docs/measurements.md has 99.95 % and more; a busy machine reads some older parts too late. */
  private static final double SHARE = 0.998;

  private long complete;
  private long all;
  private double covered;
  private double sampled;

  /** Adds a run, says how its stacks end, and prints some of those that are not complete. */
  public void add(String run, Stacks stacks) {
    Stacks.Status status = stacks.status();
    long itsComplete = stacks.of(stacks::isComplete).count();
    // Those of the file, or more where some could not be written; what was lost has no stack.
    long itsAll = Math.max(stacks.samples().size(), status.owed() - status.lost());
    System.out.printf(
        "%s: %d of %d samples complete, %.3f of the CPU time covered; %s%n%s",
        run,
        itsComplete,
        itsAll,
        (double) status.cpuCovered() / status.cpuSampled(),
        status,
        stacks.endsTable());
    stacks.of(sample -> !stacks.isComplete(sample)).limit(3).forEach(System.out::println);
    assertEquals(0, stacks.unresolved(), "stacks with frames that the file lacks");
    complete += itsComplete;
    all += itsAll;
    if (!stacks.endsEarly()) {
      covered += status.cpuCovered();
      sampled += status.cpuSampled();
    }
  }

  /**
   * Judges all of them together: one run has too few. Of runs that end early it is not known how
   * much was sampled.
   *
   * @param leastCovered of the CPU time while it was sampled
   */
  public void check(String what, double leastCovered) {
    Promise.atLeast(what, SHARE, complete, all);
    assertTrue(sampled > 0, "every run ended before its last samples were written");
    double share = covered / sampled;
    System.out.printf("%s: %.3f of the CPU time covered%n", what, share);
    assertTrue(share > leastCovered && share < 1.05, () -> "of the CPU time covered: " + share);
  }
}
