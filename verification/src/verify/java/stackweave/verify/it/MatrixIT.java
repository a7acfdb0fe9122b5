package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Jdk;
import stackweave.verify.matrix.Matrix;

/** The matrix in short: every JDK with default flags, the phases in which stacks are oddest. */
class MatrixIT {
  private static final List<String> PHASES =
      List.of("jni", "vmheavy", "stubs", "deopt", "exceptions", "classes", "io", "virtual", "ffm");
  private static final double SECONDS = 0.6;
  private static final double MIN = 0.995;

  /** Of so many that end early, such as those of a stack that overflows, no share is judged. */
  private static final int FEW = 10;

  /**
   * Frames that stand for others: 0.03 to 0.07 % on a quiet machine, more where code is read late.
   */
  private static final double MAX_MARKED = 0.02;

  /**
   * At 1 ms, on a machine that others keep busy, rings run over before the first stacks are warm.
   */
  private static final double MAX_LOST = 0.75;

  /**
   * One in a run: a sample in a method that an exception is just leaving has been seen to show the
   * method's successor on the stack below it, once in some million pairs.
   */
  private static final double MAX_BAD = 1.0 / 50_000;

  private static final int MIN_PAIRS = 300;

  static Stream<Jdk> jdks() {
    return Jdk.all().stream();
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void stacksAreCompleteAndTrue(Jdk jdk) throws Exception {
    Matrix.Summary run = Matrix.shortRun(jdk, PHASES, SECONDS);
    System.out.println(run);
    assertAll(
        () -> assertEquals("", run.failure()),
        () -> assertTrue(run.share() >= MIN || run.incomplete() <= FEW, run::toString),
        () -> assertTrue(run.marked() <= MAX_MARKED, run::toString),
        () -> assertTrue(run.lost() <= MAX_LOST, run::toString),
        () -> assertTrue(run.pairs() >= MIN_PAIRS, run::toString),
        () -> assertTrue(run.bad() <= MAX_BAD * run.pairs(), run::toString));
  }
}
