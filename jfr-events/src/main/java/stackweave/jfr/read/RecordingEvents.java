package stackweave.jfr.read;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import stackweave.jfr.event.Session;

/**
 * The events of a recording, each with the session that it belongs to.
 *
 * <p>Only the session event names its session; all other events of its chunk belong to it. A file
 * of one session, whole, is read in one go. Recordings put together from several processes, and
 * recordings with something wrong, are read chunk by chunk, each from a copy of its own, so that
 * sessions stay apart and a broken chunk costs no other.
 */
final class RecordingEvents {
  private static final String PREFIX = "stackweave.";

  /** Receives the events, in no order but that of the file. */
  interface Handler {
    /** All events so far are void: the recording is read again from its beginning. */
    void restart() throws RecordingException;

    /**
     * @param session a number from 0 for each session
     */
    void event(int session, RecordedEvent event);
  }

  private final Path file;
  private final ChunkList chunks;
  private final List<String> losses = new ArrayList<>();
  private final Map<String, Integer> sessions = new HashMap<>();
  private boolean byChunk;

  RecordingEvents(Path file) throws RecordingException {
    this.file = file;
    this.chunks = ChunkList.scan(file);
    this.byChunk = !chunks.isWhole();
  }

  /** What could not be read, one line each. */
  List<String> losses() {
    List<String> all = new ArrayList<>(chunks.losses());
    all.addAll(losses);
    return all;
  }

  /** Reads all events of ours. */
  void read(Handler handler) throws RecordingException {
    if (!byChunk) {
      byChunk = !readWhole(handler);
      if (!byChunk) {
        return;
      }
      handler.restart();
    }
    losses.clear();
    int number = 0;
    for (ChunkList.Chunk chunk : chunks.chunks()) {
      number++;
      try {
        Path copy = chunks.extract(chunk);
        try {
          readChunk(copy, handler);
        } finally {
          Files.deleteIfExists(copy);
        }
      } catch (IOException e) {
        losses.add("chunk " + number + " can't be read: " + ChunkList.oneLine(e));
      }
    }
    if (!chunks.chunks().isEmpty() && losses.size() == chunks.chunks().size()) {
      throw new RecordingException(file + ": can't be read: " + losses.get(0));
    }
    if (chunks.chunks().isEmpty()) {
      throw new RecordingException(file + ": " + String.join("; ", chunks.losses()));
    }
  }

  /** Reads the file in one go; false if it turns out to need reading by chunks. */
  private boolean readWhole(Handler handler) {
    String uuid = null;
    try (Source source = new Source(file)) {
      for (RecordedEvent event = source.next(); event != null; event = source.next()) {
        if (event.getEventType().getName().equals(Session.NAME)) {
          String own = Fields.text(event, "uuid");
          if (uuid != null && !uuid.equals(own)) {
            return false;
          }
          uuid = own;
        }
        handler.event(0, event);
      }
      return true;
    } catch (IOException e) {
      // The chunks tell which of them it is.
      return false;
    }
  }

  private void readChunk(Path copy, Handler handler) throws IOException {
    int session = sessionOf(copy);
    try (Source source = new Source(copy)) {
      for (RecordedEvent event = source.next(); event != null; event = source.next()) {
        handler.event(session, event);
      }
    }
  }

  private int sessionOf(Path copy) throws IOException {
    String uuid = "";
    try (Source source = new Source(copy)) {
      RecordedEvent event = source.next();
      while (event != null && uuid.isEmpty()) {
        if (event.getEventType().getName().equals(Session.NAME)) {
          uuid = Fields.text(event, "uuid");
        }
        event = source.next();
      }
    }
    return sessions.computeIfAbsent(uuid, u -> sessions.size());
  }

  /** Our events of a file. JFR's reader meets damage with exceptions of many sorts: here of one. */
  private static final class Source implements AutoCloseable {
    private final RecordingFile recording;

    Source(Path file) throws IOException {
      try {
        recording = new RecordingFile(file);
      } catch (RuntimeException e) {
        throw new IOException(ChunkList.oneLine(e), e);
      }
    }

    /** The next event of ours, null at the end. */
    RecordedEvent next() throws IOException {
      try {
        while (recording.hasMoreEvents()) {
          RecordedEvent event = recording.readEvent();
          if (event.getEventType().getName().startsWith(PREFIX)) {
            return event;
          }
        }
        return null;
      } catch (RuntimeException e) {
        throw new IOException(ChunkList.oneLine(e), e);
      }
    }

    @Override
    public void close() throws IOException {
      recording.close();
    }
  }
}
