package stackweave.live.harm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.testing.Ended;
import stackweave.testing.EventsByTime;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;

/** A file switches sampling off and on without attach, JFR or restart. */
class SwitchFileIT {

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void samplingStopsAndGoesOn(Jdk jdk) throws IOException {
    ForkedJvm jvm = Jvms.withoutLibraries(jdk);
    Path file = jvm.directory().resolve("off");
    Ended ended =
        jvm.agent("switch=" + file)
            .run("stackweave.live.harm.SwitchFileApp", file.toString())
            .successfully();
    assertEquals(2, ended.outLines().size(), ended.toString());
    assertEquals(
        List.of(
            "stackweave: switched off by "
                + file
                + "; remove it to go on; the application runs on unharmed"),
        ended.errLines().stream().filter(line -> line.startsWith("stackweave")).toList());

    List<RecordedEvent> events = EventsByTime.of(jvm.directory().resolve("switch.jfr"));
    List<Instant> off =
        events.stream()
            .filter(event -> event.getEventType().getName().equals("stackweave.SamplerStatus"))
            .filter(event -> event.getString("note").contains("switched off by " + file))
            .map(RecordedEvent::getStartTime)
            .toList();
    assertTrue(off.size() > 0, "no status says so");
    List<Instant> samples =
        events.stream()
            .filter(event -> event.getEventType().getName().equals("stackweave.StackSample"))
            .map(RecordedEvent::getStartTime)
            .sorted()
            .toList();
    Instant switchedOff = off.get(0);
    RecordedEvent seen =
        events.stream()
            .filter(event -> event.getEventType().getName().equals("test.Off"))
            .findFirst()
            .orElseThrow();
    long before = samples.stream().filter(time -> time.isBefore(switchedOff)).count();
    assertTrue(before > 5, () -> before + " samples before");
    assertEquals(
        List.of(),
        samples.stream()
            .filter(time -> time.isAfter(seen.getStartTime()) && time.isBefore(seen.getEndTime()))
            .toList(),
        () -> "while it was off: " + seen);
    assertTrue(
        samples.stream().anyMatch(time -> time.isAfter(seen.getEndTime())), "it does not go on");
  }
}
