package stackweave.agent.boot;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@code Thread.start} tells of threads while sampling goes on, and is itself again when the agent
 * is detached.
 */
class HooksIT extends HookedJvm {
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void shortThreadsAreToldAndNothingIsLeft(Jvm jvm) throws Exception {
    recordShortThreads(jvm, 1);
  }
}
