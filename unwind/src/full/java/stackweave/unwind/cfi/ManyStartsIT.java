package stackweave.unwind.cfi;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** As {@link FunctionStartsTest}, of large libraries. */
class ManyStartsIT {
  @ParameterizedTest
  @ValueSource(
      strings = {"/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "${java.home}/lib/server/libjvm.so"})
  void ofEhFrame(String name) throws Exception {
    new FunctionStartsTest().ofEhFrame(name);
  }
}
