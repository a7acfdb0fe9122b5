package stackweave.engine.perf.filter;

import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.engine.KernelVersion;
import stackweave.linux.SystemCalls;

/** Where parts of stacks are not copied at the interrupt, though the kernel would do it. */
class OlderPartsTest {
  private static final SystemCalls CALLS = SystemCalls.current().orElseThrow();

  /** Linux 5.18 to 6.3 may lock up. */
  @ParameterizedTest
  @ValueSource(strings = {"5.18.0", "6.1.0-40-amd64", "6.3.13"})
  void notByAKernelThatMayLockUp(String release) {
    assertNull(OlderParts.open(CALLS, KernelVersion.of(release), 10_000_000, 65_528));
  }

  @Test
  void notWhereTheCopiesWouldTakeMuchOfTheInterval() {
    assertNull(OlderParts.open(CALLS, KernelVersion.of("6.12.1"), 999_999, 65_528));
  }
}
