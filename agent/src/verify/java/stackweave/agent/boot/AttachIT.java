package stackweave.agent.boot;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The command line on running JVMs: attach, record, status, detach, and whatever can be wrong. */
@Order(4)
class AttachIT extends AttachedProgram {
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#ends")
  void attachesOnceAndDetachesWithoutATrace(Jvm jvm) throws Exception {
    attachAndDetach(jvm, 1);
  }

  @Test
  void recordsInAContainerOfAnotherUser() throws Exception {
    recordInContainer(Container.publicJvms().findFirst().orElseThrow());
  }
}
