package stackweave.agent.drain;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.boot.Jvm;

/**
 * The same for longer, or until so many pairs of frames were checked: {@code -Dchurn.pairs=100000}.
 */
@Order(8)
class ChurnMoreIT extends ChurnedJvm {
  private static final int SHORT_SECONDS = 8;

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#all")
  void noNameIsWrong(Jvm jvm) throws Exception {
    Integer pairs = Integer.getInteger("churn.pairs");
    assertNoneIsWrong(
        jvm,
        pairs == null ? SHORT_SECONDS : LONG_SECONDS,
        pairs == null ? Integer.MAX_VALUE : pairs);
  }
}
