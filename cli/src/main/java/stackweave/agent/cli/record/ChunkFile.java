package stackweave.agent.cli.record;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import stackweave.agent.cli.process.TargetFile;
import stackweave.jfr.chunk.ChunkHeader;

/**
 * A chunk in a file of the target: in the recording that JFR wrote, or in JFR's repository, if JFR
 * could not write the recording. It is complete when the JVM has begun the next one; before that,
 * its header has how much JFR has flushed, once a second. Used by {@link RemoteRecording}.
 *
 * @param file open; closed by its owner
 * @param header as it was when the file was looked at
 * @param nanos the chunk's duration
 */
record ChunkFile(TargetFile file, ChunkHeader header, long nanos) {
  /** A terabyte at JFR's default chunk size; each takes a read of the target's file. */
  private static final int MAX_CHUNKS = 100_000;

  /** Limit for all chunks together: the target's file system may be slow at each read. */
  private static final long MAX_NANOS = 30_000_000_000L;

  private static final int SIZE = 8;
  private static final int DURATION = 40;
  private static final int STATE = 64;

  /** The value of the state while the JVM writes the header. */
  private static final byte IN_DOUBT = (byte) 255;

  /** The chunk at {@code position} of a file; null if there is none, or none that can be read. */
  static ChunkFile at(long position, TargetFile file) throws IOException {
    byte[] bytes = file.read(position, ChunkHeader.BYTES);
    ByteBuffer header = ByteBuffer.wrap(bytes).position(bytes.length);
    if (bytes.length < ChunkHeader.BYTES
        || !ChunkHeader.hasMagic(header)
        || header.get(STATE) == IN_DOUBT) {
      return null;
    }
    ChunkHeader chunk = ChunkHeader.of(header, position);
    return chunk.size() > ChunkHeader.BYTES && chunk.fitsInto(file.size() - position)
        ? new ChunkFile(file, chunk, header.getLong(DURATION))
        : null;
  }

  /** The chunks of a file that has only finished chunks, and so was completed by JFR. */
  static List<ChunkFile> whole(TargetFile file) throws IOException {
    List<ChunkFile> chunks = new ArrayList<>();
    long size = file.size();
    long start = System.nanoTime();
    for (long at = 0; at < size; ) {
      ChunkFile chunk = at(at, file);
      if (chunk == null
          || !chunk.header.isFinished()
          || chunks.size() == MAX_CHUNKS
          || System.nanoTime() - start > MAX_NANOS) {
        return List.of();
      }
      chunks.add(chunk);
      at = chunk.header.end();
    }
    return chunks;
  }

  /** When it began, in ns since 1970 by the target's clock; unique among the chunks of a JVM. */
  long startNanos() {
    return header.startNanos();
  }

  /**
   * Copies the readable part, marked as finished in the header so that every JFR reader accepts it.
   */
  void copy(OutputStream out) throws IOException {
    byte[] bytes = file.read(header.position(), ChunkHeader.BYTES);
    if (bytes.length < ChunkHeader.BYTES) {
      throw new IOException("a chunk became shorter while it was read");
    }
    // Size and state as read at opening, whatever the file has by now.
    ByteBuffer.wrap(bytes).putLong(SIZE, header.size()).put(STATE, (byte) 0);
    out.write(bytes);
    file.copy(header.position() + ChunkHeader.BYTES, header.end(), out);
  }
}
