package stackweave.jfr.read;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkReader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.EventConstants;
import stackweave.jfr.chunk.EventShape;

/**
 * Reads chosen events of all chunks of a recording, for reports that need more than samples. Of a
 * damaged chunk it reads what is before the damage. Stateless.
 *
 * @hidden no part of the API
 */
public final class ChunkEvents {
  /**
   * Receives the events of a recording.
   *
   * @hidden no part of the API
   */
  @FunctionalInterface
  public interface Taker {
    /**
     * An event.
     *
     * @param shape its place in the list of shapes
     * @param event the reader, positioned at the event
     * @throws IOException if it is damaged
     */
    void take(int shape, ChunkReader event) throws IOException;

    /**
     * The events of a chunk are given next, even if it has none.
     *
     * @param events the chunk's reader, positioned at no event
     */
    default void begin(ChunkReader events) {}

    /** All events of a chunk were given; {@code constants} are valid during the call. */
    default void end(ChunkHeader chunk, EventConstants constants) {}
  }

  private ChunkEvents() {}

  /**
   * Reads a recording.
   *
   * @throws IOException if the file can't be opened
   * @throws RecordingException if it is no recording; one line for users
   */
  public static void read(Path file, List<EventShape> shapes, Taker taker)
      throws IOException, RecordingException {
    try (ChunkSource source = new ChunkSource(file)) {
      for (ChunkHeader header : ChunkList.scan(file).chunks()) {
        try {
          ChunkReader events = new ChunkReader(source, header, shapes);
          taker.begin(events);
          for (int shape = events.next(); shape >= 0; shape = events.next()) {
            taker.take(shape, events);
          }
        } catch (IOException e) {
          // What was read is used.
        }
        taker.end(header, new EventConstants(source, header));
      }
    }
  }
}
