package stackweave.jfr.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import stackweave.jfr.Programs;
import stackweave.jfr.read.SampledRecording;

/** What a sample takes of a file. */
@ResourceLock(Programs.OWN_JFR)
class SampleBytesIT {
  private static final int SAMPLES = 50_000;

  /** Two to four more if this JVM has loaded 16,384 classes: ids take three bytes then. */
  private static final int MOST_BYTES = 30;

  @TempDir Path directory;

  @Test
  void aSampleTakesFewBytes() throws Exception {
    Path file = directory.resolve("many.jfr");
    try (Recording recording = new Recording();
        EventStore store = EventStore.open(SyntheticStacks.SESSION, StoreLimits.DEFAULT)) {
      recording.start();
      for (int number = 0; number < SAMPLES; number++) {
        assertTrue(EventStoreTest.sample(store, number));
      }
      store.flush();
      recording.dump(file);
    }
    Path empty = directory.resolve("empty.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      recording.dump(empty);
    }
    double perSample = (double) (Files.size(file) - Files.size(empty)) / SAMPLES;
    System.out.printf("%.1f bytes per sample, all in%n", perSample);
    assertTrue(perSample <= MOST_BYTES, "bytes per sample: " + perSample);
    assertEquals(SAMPLES, SampledRecording.open(file).samples());
  }
}
