package stackweave.jfr.weave.format;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.Metadata;

/**
 * A recording that this program writes by itself: chunks with events of chosen classes and no
 * constants. It is a complete recording after each {@link #flush}. Times are those of {@link
 * System#nanoTime}. Not thread-safe.
 */
public final class EventFile implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final long TICKS_PER_SECOND = 1_000_000_000L;

  /**
   * Added to the ids of types, which each JDK numbers differently: the JDK's readers take a type of
   * this file for the one that has its id in the chunks of another JVM beside it. JFR's own ids are
   * below a million.
   */
  private static final long OWN_IDS = (long) Runtime.version().feature() << 20;

  /** What JFR said last. */
  private static Metadata known;

  private final RandomAccessFile file;
  private final Map<Class<?>, EventWriter> writers;

  /** The metadata of the events, behind their id. */
  private final EncodedBytes types;

  private final EncodedBytes events = new EncodedBytes(BUFFER_BYTES);
  private final EncodedBytes event = new EncodedBytes(1_024);
  private long length;

  /** Where the present chunk begins. */
  private long chunkAt;

  private long startNanos;
  private long startTicks;

  /** What was readable after the last flush. */
  private long wholeLength;

  /** Where the chunk's last checkpoint is; 0 before the first. */
  private long checkpointAt;

  private EventFile(RandomAccessFile file, Map<Class<?>, EventWriter> writers, EncodedBytes types)
      throws IOException {
    this.file = file;
    this.writers = writers;
    this.types = types;
    beginChunk();
  }

  private void beginChunk() throws IOException {
    chunkAt = length;
    checkpointAt = 0;
    Instant now = Instant.now();
    startTicks = System.nanoTime();
    startNanos = now.getEpochSecond() * TICKS_PER_SECOND + now.getNano();
    EncodedBytes head = new EncodedBytes(1 << 14);
    // An id below 0, which no other chunk of a recording has: a reader would take the types of one
    // for those of the other.
    WovenTypes.appendMetadata(head, types, startTicks, -startNanos);
    file.seek(chunkAt);
    file.write(new byte[ChunkHeader.BYTES]);
    head.writeTo(file);
    length = chunkAt + ChunkHeader.BYTES + head.size();
    flush();
  }

  /**
   * Completes the chunk, which can then be read without what follows, and begins another one.
   *
   * @throws IOException if it can't be written
   */
  public void nextChunk() throws IOException {
    flush();
    beginChunk();
  }

  /** The bytes of the chunk that are written to the file. */
  public long chunkBytes() {
    return length - chunkAt;
  }

  /**
   * Begins a recording.
   *
   * @param path is overwritten
   * @param types the classes of the events, which are registered with JFR for their layout
   * @throws IOException if it can't be written, or JFR's types are laid out as in no JDK known
   */
  public static EventFile create(Path path, List<Class<? extends Event>> types) throws IOException {
    Metadata metadata = PrunedMetadata.renumbered(known(types), OWN_IDS);
    Map<Class<?>, EventWriter> writers = new HashMap<>();
    Set<String> names = new HashSet<>();
    for (Class<? extends Event> type : types) {
      String name = EventType.getEventType(type).getName();
      names.add(name);
      writers.put(type, new EventWriter(metadata, name, type));
    }
    return create(path, writers, PrunedMetadata.of(metadata, names));
  }

  /**
   * Begins another recording with events of the same classes.
   *
   * @param path is overwritten
   * @throws IOException if it can't be written
   */
  public EventFile next(Path path) throws IOException {
    return create(path, writers, types);
  }

  private static EventFile create(Path path, Map<Class<?>, EventWriter> writers, EncodedBytes types)
      throws IOException {
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
    try {
      file.setLength(0);
      return new EventFile(file, writers, types);
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /**
   * JFR's own types in this JVM. If it has written a file, also while it ends, when JFR makes no
   * recording any more. Any thread.
   *
   * @throws IOException if a recording can't be made
   */
  public static synchronized Metadata jfrTypes() throws IOException {
    if (known == null) {
      known = metadata(List.of());
    }
    return known;
  }

  private static synchronized Metadata known(List<Class<? extends Event>> types)
      throws IOException {
    known = metadata(types);
    return known;
  }

  /**
   * What JFR says in a recording of this JVM.
   *
   * @param types classes of events that it is to have, too; registered with JFR
   * @throws IOException if the recording can't be made
   */
  private static Metadata metadata(List<Class<? extends Event>> types) throws IOException {
    for (Class<? extends Event> type : types) {
      FlightRecorder.register(type);
    }
    Path empty = Files.createTempFile("stackweave", ".jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      recording.stop();
      recording.dump(empty);
      try (ChunkSource source = new ChunkSource(empty);
          RandomAccessFile first = new RandomAccessFile(empty.toFile(), "r")) {
        return source.metadata(WovenChunk.header(first));
      }
    } finally {
      Files.deleteIfExists(empty);
    }
  }

  /**
   * Writes an event.
   *
   * @param timeNanos when it began, by {@link System#nanoTime}
   * @throws IOException if the file can't be written
   */
  public void write(Event written, long timeNanos, long durationNanos) throws IOException {
    event.clear();
    writers.get(written.getClass()).write(written, timeNanos, durationNanos, event);
    events.sizeWithItself(event.size());
    events.append(event);
    if (events.size() >= BUFFER_BYTES) {
      append();
    }
  }

  private void append() throws IOException {
    file.seek(length);
    events.writeTo(file);
    length += events.size();
    events.clear();
  }

  /** Makes all events readable that were written so far. */
  public void flush() throws IOException {
    EncodedBytes noPools = new EncodedBytes(2);
    noPools.raw(0);
    noPools.number(0);
    long at = length + events.size();
    EncodedBytes checkpoint = new EncodedBytes(32);
    WovenChunk.head(checkpoint, checkpointAt == 0 ? 0 : checkpointAt - at, noPools);
    checkpoint.setPaddedNumber(0, checkpoint.size());
    events.append(checkpoint);
    append();
    checkpointAt = at;
    EncodedBytes header = new EncodedBytes(ChunkHeader.BYTES);
    HeaderBytes.append(
        header,
        length - chunkAt,
        checkpointAt - chunkAt,
        ChunkHeader.BYTES,
        startNanos,
        System.nanoTime() - startTicks,
        startTicks,
        TICKS_PER_SECOND);
    file.seek(chunkAt);
    header.writeTo(file);
    wholeLength = length;
  }

  /**
   * Completes it. If that fails, such as on a full disk, it is what it was after the last flush.
   *
   * @throws IOException if it can't be written
   */
  @Override
  public void close() throws IOException {
    try (file) {
      complete();
    }
  }

  private void complete() throws IOException {
    try {
      flush();
    } catch (IOException e) {
      file.setLength(wholeLength);
      throw e;
    }
  }
}
