package stackweave.jfr.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

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
      try (StartWatch watch =
          StartWatch.begin(System.nanoTime() - 2_100_000_000L, new MissedCpu(), List.of())) {
        assertTrue(watch.delayNanos() >= 2_100_000_000L);
        watch.prepare();
        recording.stop();
      }
      recording.dump(file);
    }
    List<RecordedEvent> statuses = statuses(file);
    assertEquals(1, statuses.size());
    String note = statuses.get(0).getString("note");
    assertTrue(
        note.matches("sampling had not begun .* it was being prepared for \\d+\\.\\d s"), note);
    String empty =
        assertThrows(RecordingException.class, () -> SampledRecording.open(file)).getMessage();
    assertTrue(empty.contains("sampling had not begun"), empty);
  }

  /** The thread that ends it waits for what the watch has begun to make. */
  @Test
  void aRecordingThatEndsWhileTheEventIsRegisteredSaysSoToo() throws Exception {
    Path file = directory.resolve("sooner.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      try (StartWatch watch = StartWatch.begin(System.nanoTime(), new MissedCpu(), List.of())) {
        Thread prepares =
            new Thread(
                () -> {
                  LockSupport.parkNanos(10_000_000);
                  watch.prepare();
                });
        prepares.start();
        recording.stop();
        prepares.join();
      }
      recording.dump(file);
    }
    assertEquals(1, statuses(file).size());
  }

  /** But not for long. */
  @Test
  void anEventThatIsNeverRegisteredHoldsUpNobody() throws Exception {
    Path file = directory.resolve("never.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      try (StartWatch watch = StartWatch.begin(System.nanoTime(), new MissedCpu(), List.of())) {
        assertTrue(watch.delayNanos() >= 0);
        recording.stop();
      }
      recording.dump(file);
    }
    assertEquals(List.of(), statuses(file));
  }

  /** CPU time that has no samples is stated, and in the next chunk no more. */
  @Test
  void itSaysWhatWasMissedAndWhatWasNotUnderstood() throws Exception {
    Path file = directory.resolve("missed.jfr");
    MissedCpu missed = new MissedCpu();
    try (Recording recording = new Recording()) {
      recording.start();
      long asked = SampledProcess.OWN.cpuNanos();
      missed.begin(asked, 0);
      try (StartWatch watch =
          StartWatch.begin(System.nanoTime(), missed, List.of("engine 'foo' is unknown"))) {
        assertTrue(watch.delayNanos() >= 0);
        watch.prepare();
        while (SampledProcess.OWN.cpuNanos() - asked < 300_000_000L) {
          Math.sqrt(asked);
        }
        recording.dump(directory.resolve("rotated.jfr")); // which begins a new chunk
        while (SampledProcess.OWN.cpuNanos() - asked < 400_000_000L) {
          Math.sqrt(asked);
        }
        recording.stop();
      }
      recording.dump(file);
    }
    List<RecordedEvent> statuses = statuses(file);
    assertEquals(2, statuses.size());
    long sum = 0;
    for (RecordedEvent status : statuses) {
      assertEquals(status.getLong("cpuUsed"), status.getLong("cpuMissed"));
      assertTrue(status.getString("note").endsWith("; engine 'foo' is unknown"), status::toString);
      sum += status.getLong("cpuMissed");
    }
    assertTrue(statuses.get(0).getLong("cpuMissed") >= 300_000_000L, statuses::toString);
    assertTrue(sum >= 400_000_000L && sum < 60_000_000_000L, statuses::toString);
    String empty =
        assertThrows(RecordingException.class, () -> SampledRecording.open(file)).getMessage();
    assertTrue(empty.matches(".*sampling has not begun; \\d+\\.\\d+ s of CPU time .*"), empty);
  }

  @Test
  void onceItHasBegunNothingIsSaid() throws Exception {
    Path file = directory.resolve("begun.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      try (StartWatch watch = StartWatch.begin(System.nanoTime(), new MissedCpu(), List.of())) {
        watch.prepare();
        watch.begun();
        recording.stop();
      }
      recording.dump(file);
    }
    assertEquals(List.of(), statuses(file));
  }
}
