package stackweave.live.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Stacks;
import stackweave.testing.Ended;
import stackweave.testing.Enough;
import stackweave.testing.Jdk;

/** Where failures can't be kept. */
class RecordFailuresMoreIT {

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void aDirectoryThatCantBeUsedIsNamedAndSamplingGoesOn(Jdk jdk) {
    List<Stacks.Sample> samples =
        Enough.of(
            1,
            () -> {
              Ended ended = RecordFailuresIT.ended(RecordFailuresIT.agent(jdk, "no/such/place"));
              assertEquals(1, ended.errLines().size(), () -> ended.errLines().toString());
              assertTrue(
                  ended
                      .errLines()
                      .get(0)
                      .startsWith("stackweave: failures are not recorded: no/such/place"),
                  () -> ended.errLines().toString());
              return Stacks.of(ended.recording()).samples();
            });
    assertFalse(samples.isEmpty());
  }
}
