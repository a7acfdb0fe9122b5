package stackweave.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * The events of a recording in the order of their starts. That of the file is another one now and
 * then, also of one thread's events: JFR writes a thread's buffers as they get full or are flushed.
 * Stateless.
 */
public final class EventsByTime {
  private EventsByTime() {}

  /** All events. */
  public static List<RecordedEvent> of(Path recording) throws IOException {
    return RecordingFile.readAllEvents(recording).stream()
        .sorted(Comparator.comparing(RecordedEvent::getStartTime))
        .toList();
  }

  /** What the sampler has said of itself. */
  public static List<RecordedEvent> statuses(Path recording) {
    try {
      return of(recording).stream()
          .filter(event -> event.getEventType().getName().equals("stackweave.SamplerStatus"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
