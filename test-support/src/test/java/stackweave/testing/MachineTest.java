package stackweave.testing;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MachineTest {
  private static final String LATE =
      "the JVM ended before the last samples were written, for the drain thread got too little CPU"
          + " time: what is missing is not counted";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sampling began 0.44 s after the recording; 0.23 s of CPU time used while it did not run",
        "53 samples only: shares are rough",
        "drain thread gets too little CPU time: keeps one sample in 8",
        LATE,
        LATE + "; drain thread gets too little CPU time: keeps one sample in 8",
      })
  void aBusyMachineIsNoFault(String said) {
    assertTrue(Machine.isOfLoad("stackweave: /a: b/rec.jfr: " + said));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "native frames only: this JDK is not supported for Java frames",
        LATE + "; native frames only: this JDK is not supported for Java frames",
        "the recording was cut short",
      })
  void whatElseIsSaidIsNone(String said) {
    assertFalse(Machine.isOfLoad("stackweave: /a: b/rec.jfr: " + said));
  }
}
