package stackweave.jfr.call;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.LongBinaryOperator;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeCallEventsTest {
  private static final long SHORT_NANOS = 5_000_000;
  private static final long LONG_NANOS = 50_000_000;

  @TempDir Path directory;

  /** The threshold may be JFR's own for a moment, and then the call counts as one of the short. */
  @Test
  void aCallIsSlowIfJfrTakesItsEvent() throws Exception {
    Path file = directory.resolve("calls.jfr");
    try (NativeCallEvents events = new NativeCallEvents(new OneMethod());
        Recording recording = new Recording()) {
      recording.enable(NativeCall.NAME).withThreshold(Duration.ofMillis(20));
      events.register();
      recording.start();
      LongBinaryOperator writer = events.writer(0);
      long now = System.nanoTime();
      assertEquals(0, writer.applyAsLong(now - SHORT_NANOS, now));
      assertEquals(1, writer.applyAsLong(now - LONG_NANOS, now));
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> written =
        RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getEventType().getName().equals(NativeCall.NAME))
            .toList();
    assertEquals(1, written.size());
    assertEquals("Codec.run", written.get(0).getString("method"));
    assertEquals(LONG_NANOS, written.get(0).getDuration().toNanos(), LONG_NANOS / 50);
  }

  private static final class OneMethod implements TimedMethods {
    @Override
    public int count() {
      return 1;
    }

    @Override
    public String method(int number) {
      return "Codec.run";
    }

    @Override
    public String descriptor(int number) {
      return "()V";
    }

    @Override
    public boolean read(int number, long[] into) {
      return false;
    }
  }
}
