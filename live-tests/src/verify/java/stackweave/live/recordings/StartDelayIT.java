package stackweave.live.recordings;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.testing.Ended;
import stackweave.testing.EventsByTime;
import stackweave.testing.Jdk;

/** A recording says from when on samples were taken, or that it ended before. */
class StartDelayIT {

  private static List<RecordedEvent> statuses(Jdk jdk, String... args) throws IOException {
    Ended ended =
        Jvms.withoutLibraries(jdk)
            .agent()
            .recording()
            .run("stackweave.live.recordings.EndsEarlyApp", args)
            .successfully();
    return EventsByTime.statuses(ended.recording());
  }

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onEnds")
  void aProgramThatEndsBeforeLeavesARecordingThatSaysSo(Jdk jdk) throws IOException {
    List<RecordedEvent> statuses = statuses(jdk);
    assertFalse(statuses.isEmpty(), "nothing says why the recording is empty");
    for (RecordedEvent status : statuses) {
      String note = status.getString("note");
      boolean begun = status.getDuration("startDelay").compareTo(Duration.ZERO) > 0;
      assertTrue(begun || note.startsWith("sampling had not begun when"), status::toString);
      assertTrue(
          begun || status.getLong("cpuMissed") == status.getLong("cpuUsed"), status::toString);
    }
    if (statuses.stream().allMatch(status -> status.getDuration("startDelay").isZero())) {
      assertTrue(
          statuses.stream().mapToLong(status -> status.getLong("cpuMissed")).sum() > 0,
          statuses::toString);
    }
    System.out.println(jdk + ": " + statuses.get(0).getString("note"));
  }

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void otherwiseItSaysHowLongItTook(Jdk jdk) throws IOException {
    List<RecordedEvent> statuses = statuses(jdk, "sampled");
    Duration delay =
        statuses.stream()
            .map(status -> status.getDuration("startDelay"))
            .reduce(Duration.ZERO, (a, b) -> a.compareTo(b) > 0 ? a : b);
    System.out.println(jdk + ": samples are taken after " + delay.toMillis() + " ms");
    assertTrue(delay.toMillis() > 0 && delay.toSeconds() < 120, delay::toString);
  }
}
