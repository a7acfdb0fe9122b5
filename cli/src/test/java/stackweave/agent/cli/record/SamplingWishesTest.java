package stackweave.agent.cli.record;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.jfr.read.choice.SampleChoice;

/** The recording of a running JVM has what its reader chooses. */
class SamplingWishesTest {
  @ParameterizedTest
  @CsvSource({
    "native-memory, stackweave.NativeMemory#enabled, true",
    "native-allocations, stackweave.NativeAllocation#enabled, true",
    "page-faults, stackweave.NativeSample#event, page-faults"
  })
  void whatIsReadIsAskedFor(String event, String setting, String value) {
    assertEquals(
        Map.of("stackweave.NativeSample#enabled", "true", setting, value),
        SamplingWishes.ofChoice(SampleChoice.ofEvent(event)));
  }
}
