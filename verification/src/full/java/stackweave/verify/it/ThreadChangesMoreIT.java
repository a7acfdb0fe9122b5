package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Jdk;

/** {@link ThreadChangesIT} where the VM has thousands of classes to adjust. */
class ThreadChangesMoreIT {

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void withManyClassesThreeRecordingsChangeThreadOnce(Jdk jdk) throws IOException {
    assertEquals(1 + ThreadChangesIT.LOADS, ThreadChangesIT.changes(jdk, 6_000));
  }
}
