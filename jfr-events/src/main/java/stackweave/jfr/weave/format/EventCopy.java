package stackweave.jfr.weave.format;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.ValueType;

/**
 * Copies a chunk that an {@link EventFile} wrote, with its times by the clock of a JVM, to be
 * appended to chunks of that JVM: the JDK's readers (25) take the first chunk's clock for that of
 * all. Used once; not thread-safe.
 */
public final class EventCopy {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int START_NANOS_AT = 32;
  private static final int DURATION_AT = 40;
  private static final int START_TICKS_AT = 48;

  /** Metadata and checkpoints have lower types. */
  private static final long FIRST_TYPE = 2;

  private final JvmClock clock;
  private final ChunkHeader header;
  private final Map<Long, ValueType> types;
  private final DataInputStream in;
  private final OutputStream out;

  /** Where in {@link #event} the next number is. */
  private int at;

  private byte[] event;

  private EventCopy(
      JvmClock clock,
      ChunkHeader header,
      Map<Long, ValueType> types,
      DataInputStream in,
      OutputStream out) {
    this.clock = clock;
    this.header = header;
    this.types = types;
    this.in = in;
    this.out = out;
  }

  /**
   * Copies a file.
   *
   * @param file complete
   * @throws IOException if it can't be read or written
   */
  public static void copy(Path file, JvmClock clock, OutputStream out) throws IOException {
    try (RandomAccessFile headers = new RandomAccessFile(file.toFile(), "r");
        ChunkSource source = new ChunkSource(file);
        InputStream bytes = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES)) {
      DataInputStream in = new DataInputStream(bytes);
      for (long at = 0; at < headers.length(); ) {
        ChunkHeader header = WovenChunk.header(headers, at);
        Map<Long, ValueType> types = new HashMap<>(source.metadata(header).types());
        new EventCopy(clock, header, types, in, out).copy();
        at = header.end();
      }
    }
  }

  private void copy() throws IOException {
    byte[] head = new byte[ChunkHeader.BYTES];
    in.readFully(head);
    ChunkHeader beside = clock.chunkAt(header.startNanos());
    long ticks = clock.ticksAt(header.startNanos());
    // The time that readers of the other chunk make of the same ticks.
    // Tools add up the durations of chunks, and the JVM's have it.
    ByteBuffer.wrap(head)
        .putLong(START_NANOS_AT, beside.nanosAt(ticks))
        .putLong(DURATION_AT, WovenChunk.NO_DURATION)
        .putLong(START_TICKS_AT, ticks)
        .putLong(START_TICKS_AT + Long.BYTES, beside.ticksPerSecond());
    out.write(head);
    for (long left = header.size() - ChunkHeader.BYTES; left > 0; left -= event.length) {
      read();
      change();
      out.write(event);
    }
  }

  /** Reads the next event, with its size. */
  private void read() throws IOException {
    byte[] size = new byte[EncodedBytes.REPLACEABLE_BYTES];
    int bytes = 0;
    do {
      size[bytes] = in.readByte();
    } while (size[bytes++] < 0 && bytes < size.length);
    event = size;
    at = 0;
    long whole = number();
    if (whole < bytes || whole > Integer.MAX_VALUE / 2) {
      throw new IOException("an event has " + whole + " bytes");
    }
    event = new byte[(int) whole];
    System.arraycopy(size, 0, event, 0, bytes);
    in.readFully(event, bytes, event.length - bytes);
  }

  private void change() throws IOException {
    long type = number();
    if (type < FIRST_TYPE) {
      return;
    }
    int startAt = at;
    long nanos = header.nanosAt(number());
    EncodedBytes.replace(event, startAt, clock.ticksAt(nanos));
    ValueType layout = types.get(type);
    if (layout == null || !layout.fields().get(1).name().equals("duration")) {
      return;
    }
    int durationAt = at;
    long duration = number();
    if (duration != 0) {
      EncodedBytes.replace(event, durationAt, Math.round(duration * clock.rateAt(nanos)));
    }
  }

  private long number() throws IOException {
    long number = 0;
    for (int i = 0; i < EncodedBytes.REPLACEABLE_BYTES; i++) {
      if (at == event.length) {
        throw new EOFException("an event is too short");
      }
      byte next = event[at++];
      if (i == EncodedBytes.REPLACEABLE_BYTES - 1) {
        return number | (next & 0xffL) << 7 * i;
      }
      number |= (next & 0x7fL) << 7 * i;
      if (next >= 0) {
        return number;
      }
    }
    return number;
  }
}
