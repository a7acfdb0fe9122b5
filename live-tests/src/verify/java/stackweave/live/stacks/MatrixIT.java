package stackweave.live.stacks;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.lab.matrix.Matrix;
import stackweave.testing.Exact;
import stackweave.testing.Jdk;
import stackweave.testing.Promise;

/** The matrix in short, with default flags: the phases in which Java's stacks are oddest. */
@Order(4)
@Exact
class MatrixIT {
  private static final List<String> PHASES =
      List.of("vmheavy", "stubs", "deopt", "exceptions", "classes", "ffm");
  private static final double SECONDS = 0.3;

  /** Of complete stacks; those of a stack that overflows may end early. */
  private static final double SHARE = 0.997;

  /**
   * Frames that stand for others: 0.03 to 0.07 % on a quiet machine, more where code is read late.
   */
  private static final double MAX_MARKED = 0.01;

  /**
   * At 1 ms, on a machine that others keep busy, rings run over before the first stacks are warm:
   * by 4 to 8 % beside fifteen busy threads.
   */
  private static final double MAX_LOST = 0.4;

  private static final int MIN_PAIRS = 300;

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onEnds")
  void stacksAreCompleteAndTrue(Jdk jdk) throws Exception {
    check(jdk, PHASES, SECONDS);
  }

  static void check(Jdk jdk, List<String> phases, double seconds) throws Exception {
    Matrix.Summary run = Matrix.shortRun(jdk, phases, seconds);
    System.out.println(run);
    assertAll(
        () -> assertEquals("", run.failure()),
        () -> Promise.atLeast("complete stacks", SHARE, run.complete(), run.kept()),
        () -> Promise.atMost("marked stacks", MAX_MARKED, run.marked(), run.recorded()),
        () -> assertTrue(run.lost() <= MAX_LOST, run::toString),
        () -> assertTrue(run.pairs() >= MIN_PAIRS, run::toString),
        () -> assertEquals(0, run.bad(), run::details));
  }
}
