package stackweave.hotspot;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import stackweave.testing.Jdk;

/** As {@link ParkedStacksIT}, on every JDK with flags that change compiled code or the heap. */
class ParkedStacksMoreIT {
  private static final List<List<String>> FLAGS =
      List.of(
          List.of("-Xint"),
          List.of("-XX:TieredStopAtLevel=1"),
          List.of("-XX:-TieredCompilation", "-XX:+PreserveFramePointer"),
          List.of("-XX:+UseSerialGC", "-XX:-UseCompressedOops"));

  @TestFactory
  Stream<DynamicTest> sameAsThreadGetStackTrace() {
    return Jdk.all().stream()
        .flatMap(jdk -> FLAGS.stream().flatMap(flags -> ParkedStacksIT.tests(jdk, flags)));
  }
}
