package stackweave.jfr.chunk;

import java.io.IOException;
import java.util.Set;

/**
 * Reads the constants of a chunk: from its checkpoints, the last one first, as each says where the
 * one before it is. Stateless; damage is an {@link IOException}.
 */
public final class ConstantPools {
  private static final int WINDOW_BYTES = 1 << 16;
  private static final int CHECKPOINT_TYPE = 1;

  /** Receives constants. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * A constant.
     *
     * @param type its type
     * @param key what events and other constants know it by
     * @param text the string in it, if its type is one of those of which it is wanted and has just
     *     one; else ""
     * @throws IOException to end the reading
     */
    void constant(ValueType type, long key, String text) throws IOException;
  }

  /** Receives constants before their values are read. */
  @FunctionalInterface
  interface Reader {
    /**
     * Reads the value that {@code input} is at.
     *
     * @return false, and has read nothing, if it is to be passed over
     */
    boolean read(ValueType type, long key, ChunkInput input) throws IOException;
  }

  private ConstantPools() {}

  /**
   * Reads all constants of a chunk.
   *
   * @param source stays open
   * @param withText the names of the types of which the string is wanted
   * @throws IOException if a checkpoint is damaged, or the visitor throws it
   */
  public static void read(
      ChunkSource source, ChunkHeader header, Set<String> withText, Visitor visitor)
      throws IOException {
    read(source, header, source.metadata(header), reader(withText, visitor));
  }

  /** The same of the chunk's last checkpoint alone. */
  public static void readLast(
      ChunkSource source, ChunkHeader header, Set<String> withText, Visitor visitor)
      throws IOException {
    readCheckpoint(
        source.input(WINDOW_BYTES, header),
        header,
        header.checkpoint(),
        header.end(),
        source.metadata(header),
        reader(withText, visitor));
  }

  private static Reader reader(Set<String> withText, Visitor visitor) {
    return (type, key, input) -> {
      if (!withText.contains(type.name())) {
        visitor.constant(type, key, "");
        return false;
      }
      boolean isText = type.isText();
      boolean hasText = hasOneText(type);
      String text = isText || hasText ? input.readText(null) : "";
      visitor.constant(type, key, text);
      return isText || hasText;
    };
  }

  /** Whether a value of the type is one string, as those of symbols are. */
  static boolean hasOneText(ValueType type) throws IOException {
    if (type.fields().size() != 1) {
      return false;
    }
    ValueType.Field field = type.fields().get(0);
    return !field.isKey() && !field.isArray() && field.type().isText();
  }

  static void read(ChunkSource source, ChunkHeader header, Metadata metadata, Reader reader)
      throws IOException {
    ChunkInput input = source.input(WINDOW_BYTES, header);
    long position = header.checkpoint();
    long end = header.end();
    for (long before = -1; before != 0; position += before) {
      before = readCheckpoint(input, header, position, end, metadata, reader);
      end = position;
    }
  }

  /**
   * Returns how much further the checkpoint before this one is; 0 for none.
   *
   * @param end where this one must have ended: checkpoints that overlap could be read over and over
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
    input.readByte(); // what sort of checkpoint
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
