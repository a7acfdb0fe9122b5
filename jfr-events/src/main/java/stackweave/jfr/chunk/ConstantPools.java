package stackweave.jfr.chunk;

import java.io.IOException;

/**
 * Reads the constants of a chunk: from its checkpoints, the last one first, as each says where the
 * one before it is. Stateless; damage is an {@link IOException}.
 */
public final class ConstantPools {
  private static final int WINDOW_BYTES = 1 << 16;
  private static final int CHECKPOINT_TYPE = 1;

  /** Receives constants; reads the values of those that it wants. */
  @FunctionalInterface
  public interface Reader {
    /**
     * Reads the value that {@code input} is at.
     *
     * @param type the constant's
     * @param key by which events and other constants refer to it
     * @return false, having read nothing, if the value is to be skipped
     * @throws IOException to end the reading
     */
    boolean read(ValueType type, long key, ChunkInput input) throws IOException;
  }

  private ConstantPools() {}

  /**
   * Reads all constants of a chunk.
   *
   * @param source stays open
   * @throws IOException if a checkpoint is damaged, or if the reader throws one
   */
  public static void read(ChunkSource source, ChunkHeader header, Reader reader)
      throws IOException {
    ChunkInput input = source.input(WINDOW_BYTES, header);
    Metadata metadata = source.metadata(header);
    long position = header.checkpoint();
    long end = header.end();
    for (long before = -1; before != 0; position += before) {
      before = readCheckpoint(input, header, position, end, metadata, reader);
      end = position;
    }
  }

  /** The same of the chunk's last checkpoint alone. */
  public static void readLast(ChunkSource source, ChunkHeader header, Reader reader)
      throws IOException {
    readCheckpoint(
        source.input(WINDOW_BYTES, header),
        header,
        header.checkpoint(),
        header.end(),
        source.metadata(header),
        reader);
  }

  /**
   * Reads one checkpoint.
   *
   * @param end where this one must have ended: checkpoints that overlap could be read over and over
   * @return how much further the checkpoint before this one is; 0 for none
   */
  private static long readCheckpoint(
      ChunkInput input,
      ChunkHeader header,
      long position,
      long end,
      Metadata metadata,
      Reader reader)
      throws IOException {
    input.range(position, end);
    long size = input.readLong();
    if (size <= 0 || size > end - position) {
      throw new IOException("the checkpoint at " + position + " has " + size + " bytes");
    }
    input.range(input.position(), position + size);
    if (input.readLong() != CHECKPOINT_TYPE) {
      throw new IOException("at " + position + " is no checkpoint");
    }
    input.readLong(); // time
    input.readLong(); // duration
    final long before = input.readLong();
    // Only backwards, so that the chain has an end.
    if (before > 0 || before < header.position() + ChunkHeader.BYTES - position) {
      throw new IOException("the checkpoint at " + position + " names none before it");
    }
    input.readByte(); // type of the checkpoint
    for (int pools = input.readCount(); pools > 0; pools--) {
      ValueType type = metadata.type(input.readLong());
      int count = input.readCount();
      for (int i = 0; i < count; i++) {
        long key = input.readLong();
        if (!reader.read(type, key, input)) {
          type.skip(input);
        }
      }
    }
    return before;
  }
}
