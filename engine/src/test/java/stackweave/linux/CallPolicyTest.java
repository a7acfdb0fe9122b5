package stackweave.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CallPolicyTest {

  @ParameterizedTest
  @EnumSource
  void underAFilterOnlyWhatIsVouchedFor(GuardedCall call) {
    assertTrue(new CallPolicy(false, Set.of()).allows(call));
    assertFalse(new CallPolicy(true, Set.of()).allows(call));
    assertTrue(new CallPolicy(true, Set.of(call)).allows(call));
  }

  @Test
  void theFilterIsThatOfTheThread() throws Exception {
    boolean none =
        Files.readAllLines(Path.of("/proc/self/status")).stream()
            .noneMatch(line -> line.matches("Seccomp:\\s*[12]"));
    assertEquals(none ? CallPolicy.Filter.NONE : CallPolicy.Filter.FILTERED, CallPolicy.filter());
  }

  @Test
  void whoMayAllowItIsSaid() {
    assertEquals(
        "not tried: a seccomp filter may kill; engine=perf tries it",
        GuardedCall.PERF_EVENT_OPEN.notTried());
    assertEquals("not tried: a seccomp filter may kill", GuardedCall.GET_ROBUST_LIST.notTried());
  }
}
