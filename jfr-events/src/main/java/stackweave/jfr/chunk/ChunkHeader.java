package stackweave.jfr.chunk;

import java.nio.ByteBuffer;

/**
 * The header of a chunk (JDK: {@code jdk.jfr.internal.consumer.ChunkHeader}), big-endian. Positions
 * are those in the file, from 0.
 *
 * @param position where the chunk begins
 * @param version the major version of the format
 * @param size its bytes, header included
 * @param checkpoint where its last checkpoint is
 * @param metadata where its metadata are
 * @param startNanos when it began, since 1970
 * @param durationNanos how long it lasts
 * @param startTicks its beginning in ticks of the clock that its events use
 * @param ticksPerSecond the frequency of that clock
 * @param isFinished whether the JVM finished it; else what followed the last flush is not in {@code
 *     size}
 * @param isCompressed whether its integers are LEB128
 */
public record ChunkHeader(
    long position,
    int version,
    long size,
    long checkpoint,
    long metadata,
    long startNanos,
    long durationNanos,
    long startTicks,
    long ticksPerSecond,
    boolean isFinished,
    boolean isCompressed) {
  /** Bytes of a header. */
  public static final int BYTES = 68;

  /** What a chunk begins with: FLR and a zero. */
  public static final int MAGIC = 0x464C5200;

  private static final int MAGIC_BYTES = 4;
  private static final int COMPRESSED_INTEGERS = 1;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  /** Whether {@code bytes}, up to its position, begin as a chunk does. */
  public static boolean hasMagic(ByteBuffer bytes) {
    return bytes.position() >= MAGIC_BYTES && bytes.getInt(0) == MAGIC;
  }

  /** The header in the first {@link #BYTES} of {@code bytes}, of a chunk at {@code position}. */
  public static ChunkHeader of(ByteBuffer bytes, long position) {
    return new ChunkHeader(
        position,
        bytes.getShort(4),
        bytes.getLong(8),
        position + bytes.getLong(16),
        position + bytes.getLong(24),
        bytes.getLong(32),
        bytes.getLong(40),
        bytes.getLong(48),
        bytes.getLong(56),
        bytes.get(64) == 0,
        (bytes.get(67) & COMPRESSED_INTEGERS) != 0);
  }

  /** The first position behind the chunk. */
  public long end() {
    return position + size;
  }

  /**
   * Whether chunk, last checkpoint and metadata lie within {@code left} bytes from its position.
   */
  public boolean fitsInto(long left) {
    return size >= BYTES && size <= left && isInside(checkpoint) && isInside(metadata);
  }

  private boolean isInside(long place) {
    return place >= position + BYTES && place < end();
  }

  /** Nanoseconds since 1970 of a time by the clock of the events, as the JDK's reader has it. */
  public long nanosAt(long ticks) {
    return startNanos
        + (long) ((ticks - startTicks) / ((double) ticksPerSecond / NANOS_PER_SECOND));
  }
}
