package stackweave.jfr.export.stall;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read of a recording of this JVM. */
class StallsTest {
  @TempDir private Path directory;

  private Stalls record(boolean hasCollector) throws Exception {
    Path file = directory.resolve("gc.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("jdk.SafepointBegin");
      if (hasCollector) {
        recording.enable("jdk.GCConfiguration").with("period", "everyChunk");
      }
      recording.start();
      recording.stop();
      recording.dump(file);
    }
    return Stalls.ofEvents(file);
  }

  /** The beans have names of their own for the same collectors. */
  private static String ofBeans() {
    String names =
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .map(GarbageCollectorMXBean::getName)
            .collect(Collectors.joining(", "));
    for (List<String> each :
        List.of(
            List.of("G1 Old", Stalls.G1),
            List.of("MarkSweepCompact", Stalls.SERIAL),
            List.of("PS MarkSweep", Stalls.PARALLEL),
            List.of("ZGC", "ZGC"),
            List.of("Shenandoah", "Shenandoah"))) {
      if (names.contains(each.get(0))) {
        return each.get(1);
      }
    }
    return names;
  }

  @Test
  void theCollectorIsTheOneThatRuns() throws Exception {
    assertEquals(ofBeans(), record(true).collector());
  }

  @Test
  void withoutItsEventTheCollectorIsNotKnown() throws Exception {
    assertEquals("", record(false).collector());
  }
}
