package stackweave.jfr.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.RecordingReader;

/** A recording that ended before sampling began says so. */
class StartWatchTest {
  @TempDir private Path directory;

  private List<RecordedEvent> statuses(Path file) throws Exception {
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals("stackweave.SamplerStatus"))
        .toList();
  }

  @Test
  void aRecordingThatEndedTooSoonSaysWhyItIsEmpty() throws Exception {
    Path file = directory.resolve("soon.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      try (StartWatch watch = StartWatch.begin(System.nanoTime() - 2_100_000_000L)) {
        assertTrue(watch.delayNanos() >= 2_100_000_000L);
        recording.stop();
      }
      recording.dump(file);
    }
    List<RecordedEvent> statuses = statuses(file);
    assertEquals(1, statuses.size());
    String note = statuses.get(0).getString("note");
    assertTrue(
        note.matches("sampling had not begun .* it was being prepared for \\d\\.\\d s"), note);
    String empty =
        assertThrows(RecordingException.class, () -> RecordingReader.profile(file)).getMessage();
    assertTrue(empty.contains("sampling had not begun"), empty);
  }

  @Test
  void onceItHasBegunNothingIsSaid() throws Exception {
    Path file = directory.resolve("begun.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      try (StartWatch watch = StartWatch.begin(System.nanoTime())) {
        watch.begun();
        recording.stop();
      }
      recording.dump(file);
    }
    assertEquals(List.of(), statuses(file));
  }
}
