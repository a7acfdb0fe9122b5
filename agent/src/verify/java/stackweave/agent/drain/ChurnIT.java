package stackweave.agent.drain;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.boot.Jvm;

/**
 * Classes unloaded and code replaced between a sample and its decoding: names may be unknown then,
 * but none is wrong. As short as proves something; ChurnMoreIT goes on.
 */
@Order(8)
class ChurnIT extends ChurnedJvm {
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void noNameIsWrong(Jvm jvm) throws Exception {
    assertNoneIsWrong(jvm, 1, Integer.MAX_VALUE);
  }
}
