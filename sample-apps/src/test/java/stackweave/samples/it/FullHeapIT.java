package stackweave.samples.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.samples.matrix.Jdk;

/**
 * Programs that leave little of their heap free live with the agent if they live without; {@code
 * sample-apps/heap} tries many more.
 */
class FullHeapIT {
  private static final String MAIN = "stackweave.samples.heap.FullHeap";

  @ParameterizedTest
  @CsvSource({"17, 64, 40", "17, 32, 25.6", "17, 256, 235", "25, 256, 235", "25, 64, 57.6"})
  void livesAsWithoutSampling(int feature, int heap, double live) {
    ForkedJvm.Ended ended = run(feature, heap, Double.toString(live), "3");
    assertTrue(
        ended.out().stream().anyMatch(line -> line.startsWith("FULL HEAP done")), ended.what());
  }

  @Test
  void samplesWhereThereIsRoom() throws IOException {
    ForkedJvm.Ended ended = run(17, 256, "100", "12");
    assertEquals(List.of(), said(ended));
    assertTrue(count(ended.recording(), "stackweave.NativeSample") > 100, "too few samples");
  }

  @Test
  void endsItselfWhenTheHeapFills() throws IOException {
    ForkedJvm.Ended ended = run(17, 256, "228", "4", "12");
    assertTrue(count(ended.recording(), "stackweave.NativeSample") > 100, "too few samples");
    assertEquals(1, said(ended).size(), ended.toString());
    assertTrue(said(ended).get(0).contains("not sampling: the heap of 256 MiB has"));
    assertTrue(
        RecordingFile.readAllEvents(ended.recording()).stream()
            .filter(event -> name(event).equals("stackweave.SamplerStatus"))
            .anyMatch(event -> event.getString("note").contains("not sampling: the heap of 256")),
        "no status says so");
  }

  private static ForkedJvm.Ended run(int feature, int heap, String... args) {
    Jdk jdk = Jdks.all().filter(each -> each.feature() == feature).findFirst().orElse(null);
    assumeTrue(jdk != null, "no JDK " + feature);
    return ForkedJvm.on(jdk)
        .withoutLibraries()
        .agent()
        .recording()
        .options("-Xmx" + heap + "m", "-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError")
        .run(MAIN, args)
        .successfully();
  }

  private static List<String> said(ForkedJvm.Ended ended) {
    return ended.err().stream().filter(line -> line.startsWith("stackweave")).toList();
  }

  private static long count(Path recording, String event) throws IOException {
    return RecordingFile.readAllEvents(recording).stream()
        .filter(each -> name(each).equals(event))
        .count();
  }

  private static String name(RecordedEvent event) {
    return event.getEventType().getName();
  }
}
