package stackweave.live.stacks;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Exact;
import stackweave.testing.Jdk;

/** The matrix with more phases, for longer. */
@Exact
class MatrixMoreIT {
  private static final List<String> PHASES =
      List.of("jni", "vmheavy", "stubs", "deopt", "exceptions", "classes", "io", "virtual", "ffm");
  private static final double SECONDS = 0.6;

  @ParameterizedTest
  @MethodSource("stackweave.live.support.Jdks#all")
  void stacksAreCompleteAndTrue(Jdk jdk) throws Exception {
    MatrixIT.check(jdk, PHASES, SECONDS);
  }
}
