package stackweave.jfr.weave.format;

import java.nio.ByteBuffer;
import stackweave.jfr.chunk.ChunkHeader;

/** Headers of chunks as bytes; {@link ChunkHeader} reads them. Stateless. */
public final class HeaderBytes {
  private static final short MAJOR = 2;
  private static final short MINOR = 1;
  private static final int COMPRESSED_INTEGERS = 1;

  private static final int STATE = 64;

  private HeaderBytes() {}

  /** Appends the header of a finished chunk; positions are in the chunk. */
  public static void append(
      EncodedBytes out,
      long size,
      long checkpoint,
      long metadata,
      long startNanos,
      long durationNanos,
      long startTicks,
      long ticksPerSecond) {
    ByteBuffer bytes = ByteBuffer.allocate(ChunkHeader.BYTES);
    bytes.putInt(ChunkHeader.MAGIC).putShort(MAJOR).putShort(MINOR);
    bytes.putLong(size).putLong(checkpoint).putLong(metadata);
    bytes.putLong(startNanos).putLong(durationNanos);
    bytes.putLong(startTicks).putLong(ticksPerSecond);
    bytes.putInt(COMPRESSED_INTEGERS);
    for (byte each : bytes.array()) {
      out.raw(each);
    }
  }

  /** Changes a header to that of a finished chunk. */
  public static void finish(byte[] header) {
    header[STATE] = 0;
  }
}
