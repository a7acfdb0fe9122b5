package stackweave.jfr.control;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.jfr.Programs;
import stackweave.testing.Jdk;

/** As {@link SamplingControlIT}, where recordings change often or must ask by name. */
class SamplingControlMoreIT {
  /** A thread that changes a recording holds JFR's locks, and waits for ours only for a moment. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void whoChangesARecordingNeverWaitsForWhoWaitsForJfr(Jdk jdk) throws Exception {
    Programs.Outcome outcome = Programs.java(jdk, List.of(), LockOrderProbe.class, List.of());
    assertEquals("done\n", outcome.output());
  }

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void eachKindExplicitOnly(Jdk jdk) throws Exception {
    assertEquals(
        List.of("waits", "waits less", "waits no more"), SamplingControlIT.asking(jdk, "kind"));
  }
}
