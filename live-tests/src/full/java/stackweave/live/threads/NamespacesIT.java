package stackweave.live.threads;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.live.support.Jdks;
import stackweave.live.support.Jvms;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.EventsByTime;
import stackweave.testing.ForkedJvm;

/**
 * Samples in a namespace of its own: their times and threads are those that the JVM itself has. In
 * a time namespace the monotonic clock is another than the machine's.
 */
@Order(5)
class NamespacesIT {

  @ParameterizedTest
  @CsvSource({"perf, --time --monotonic 100000", "timer, --pid --mount-proc"})
  void samplesAreOfTheirTimeAndThread(String engine, String namespace) throws Exception {
    check(engine, namespace);
  }

  static void check(String engine, String namespace) throws Exception {
    List<String> unshare = new ArrayList<>(List.of("unshare", "--fork"));
    unshare.addAll(Arrays.asList(namespace.split(" ")));
    assumeTrue(isPermitted(unshare), () -> "this user or kernel can't: " + unshare);
    ForkedJvm jvm = Jvms.on(Jdks.oldest()).under(unshare.toArray(String[]::new));
    Instant before = Instant.now();
    Ended ended =
        jvm.agent("engine=" + engine)
            .recording()
            .run("stackweave.live.threads.NamespacesApp")
            .successfully();
    Instant after = Instant.now();

    List<RecordedEvent> events = EventsByTime.of(ended.recording());
    List<RecordedEvent> samples =
        events.stream()
            .filter(event -> event.getEventType().getName().equals("stackweave.StackSample"))
            .filter(event -> event.getThread("sampledThread") != null)
            .filter(event -> "spinning".equals(event.getThread("sampledThread").getJavaName()))
            .toList();
    List<RecordedEvent> spins =
        events.stream()
            .filter(event -> event.getEventType().getName().equals("test.Spin"))
            .toList();
    String last =
        events.stream()
            .filter(event -> event.getEventType().getName().equals("stackweave.SamplerStatus"))
            .map(event -> event.getString("engine"))
            .reduce("none", (a, b) -> b);
    assertEquals(1, spins.size());
    Instant begin = spins.get(0).getStartTime();
    Instant end = spins.get(0).getEndTime();
    long within =
        samples.stream()
            .filter(event -> !event.getStartTime().isBefore(begin.minusMillis(5)))
            .filter(event -> !event.getStartTime().isAfter(end.plusMillis(5)))
            .count();
    assertAll(
        () -> assertEquals(engine, last),
        () -> assertTrue(begin.isAfter(before) && end.isBefore(after), begin + " to " + end),
        () -> assertTrue(samples.size() >= 5, "samples: " + samples.size()),
        () -> assertEquals(samples.size(), within, () -> samples.get(0) + " not within " + begin));
  }

  private static boolean isPermitted(List<String> unshare)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(unshare);
    command.add("true");
    return Commands.run(command.toArray()).exit() == 0;
  }
}
