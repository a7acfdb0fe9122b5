package stackweave.jfr.chunk;

import java.io.IOException;

/**
 * Walks over all events of a chunk in the order of the file: where each is, its type, and its first
 * number. For code that copies a chunk and changes some of it. Not thread-safe.
 */
public final class EventWalk {
  private static final int WINDOW_BYTES = 1 << 17;

  private final ChunkHeader header;
  private final ChunkInput input;
  private long end;
  private long typeAt;
  private long valuesAt;
  private long type;

  /** Starts before the first event; {@code source} stays open as long as this is used. */
  public EventWalk(ChunkSource source, ChunkHeader header) {
    this.header = header;
    this.input = source.input(WINDOW_BYTES, header);
    this.end = header.position() + ChunkHeader.BYTES;
  }

  /**
   * Goes to the next event.
   *
   * @return false at the end of the chunk
   * @throws IOException if an event has an impossible size
   */
  public boolean next() throws IOException {
    long position = end;
    if (position >= header.end()) {
      return false;
    }
    input.range(position, header.end());
    long size = input.readLong();
    if (size <= 0 || size > header.end() - position) {
      throw new IOException("the event at " + position + " has " + size + " bytes");
    }
    end = position + size;
    typeAt = input.position();
    type = input.readLong();
    valuesAt = input.position();
    if (valuesAt > end) {
      throw new IOException("the event at " + position + " has " + size + " bytes");
    }
    return true;
  }

  /** The window on the chunk, for the event's values. */
  ChunkInput input() {
    return input;
  }

  /** Where in the file the event ends. */
  public long end() {
    return end;
  }

  /** The event's type. */
  public long type() {
    return type;
  }

  /** Where in the file its type is. */
  public long typeAt() {
    return typeAt;
  }

  /** Where in the file its first value is, behind its type. */
  public long valuesAt() {
    return valuesAt;
  }

  /**
   * The number that is its first value.
   *
   * @throws IOException if it has none
   */
  public long firstNumber() throws IOException {
    input.range(valuesAt, end);
    return input.readLong();
  }
}
