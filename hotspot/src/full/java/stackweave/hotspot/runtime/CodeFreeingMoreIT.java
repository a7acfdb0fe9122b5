package stackweave.hotspot.runtime;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import stackweave.testing.Jdk;

/** As {@link CodeFreeingIT}, on every JDK by the other collectors. */
class CodeFreeingMoreIT {
  @TestFactory
  Stream<DynamicTest> fullCollectionsAndNotYoungOnes() {
    return Jdk.all().stream()
        .flatMap(
            jdk ->
                Stream.of("UseParallelGC", "UseSerialGC")
                    .map(collector -> CodeFreeingIT.test(jdk, collector)));
  }
}
