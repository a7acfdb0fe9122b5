package stackweave.agent.cli.record;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import stackweave.agent.cli.process.TargetDirectory;
import stackweave.agent.linux.Descriptor;

/**
 * A chunk file in JFR's repository, read where JFR can't write the recording itself: its JVM was
 * killed, or its file was removed. It is complete once the JVM has begun the next one; before, its
 * header says how much JFR has flushed, once a second. Used by {@link RemoteRecording}.
 *
 * <p>Header, big-endian (jdk.jfr.internal.consumer.ChunkHeader): magic at 0, version 4, size 8,
 * last checkpoint 16, metadata 24, start in ns since the epoch 32, duration in ns 40, state 64.
 *
 * @param file open for reading
 * @param size how much of it can be read, in bytes
 * @param startNanos its start in ns since the epoch, on the target's clock
 * @param isFinished whether the JVM finished it
 */
record ChunkFile(Descriptor file, long size, long startNanos, boolean isFinished) {
  /** A terabyte at JFR's default chunk size; each costs reading the target's file. */
  private static final int MAX_CHUNKS = 100_000;

  /**
   * For all chunks together: the target's file system may answer each read just within its limit.
   */
  private static final long MAX_NANOS = 30_000_000_000L;

  private static final int HEADER_BYTES = 68;
  private static final int MAGIC = 0x464C5200;
  private static final int SIZE = 8;
  private static final int CHECKPOINT = 16;
  private static final int METADATA = 24;
  private static final int START = 32;
  private static final int DURATION = 40;
  private static final int STATE = 64;

  /** The state while the JVM writes the header. */
  private static final int IN_DOUBT = 255;

  /** A chunk that is open for reading; null if it is no chunk or not readable yet. */
  static ChunkFile of(TargetDirectory repository, Descriptor file) throws IOException {
    ByteBuffer header = header(repository, file, 0);
    return isReadable(header, repository.size(file))
        ? new ChunkFile(file, header.getLong(SIZE), header.getLong(START), header.get(STATE) == 0)
        : null;
  }

  /** Whether a file consists of finished chunks only: JFR has written all of it. */
  static boolean isWhole(TargetDirectory directory, Descriptor file) throws IOException {
    return span(directory, file) >= 0;
  }

  /**
   * How long a recording is by its file, in ns, from the start of its first chunk to the end of its
   * last; negative if the file is not whole.
   */
  static long span(TargetDirectory directory, Descriptor file) throws IOException {
    long size = directory.size(file);
    long at = 0;
    long first = 0;
    long end = -1;
    long start = System.nanoTime();
    for (int chunk = 0; at < size; chunk++) {
      if (chunk == MAX_CHUNKS || System.nanoTime() - start > MAX_NANOS) {
        return -1;
      }
      ByteBuffer header = header(directory, file, at);
      if (!isReadable(header, size - at) || header.get(STATE) != 0) {
        return -1;
      }
      first = chunk == 0 ? header.getLong(START) : first;
      end = header.getLong(START) + header.getLong(DURATION);
      at += header.getLong(SIZE);
    }
    return size > 0 ? Math.max(0, end - first) : -1;
  }

  private static ByteBuffer header(TargetDirectory directory, Descriptor file, long at)
      throws IOException {
    return ByteBuffer.wrap(directory.head(file, at, HEADER_BYTES));
  }

  private static boolean isReadable(ByteBuffer header, long left) {
    if (header.capacity() < HEADER_BYTES
        || header.getInt(0) != MAGIC
        || (header.get(STATE) & 0xff) == IN_DOUBT) {
      return false;
    }
    long size = header.getLong(SIZE);
    return size > HEADER_BYTES
        && size <= left
        && isWithin(header.getLong(CHECKPOINT), size)
        && isWithin(header.getLong(METADATA), size);
  }

  private static boolean isWithin(long position, long size) {
    return position >= HEADER_BYTES && position < size;
  }

  /**
   * Copies the readable part, marked as finished in the header so that every JFR reader accepts it.
   */
  void copy(TargetDirectory repository, OutputStream out) throws IOException {
    byte[] header = repository.head(file, 0, HEADER_BYTES);
    if (header.length < HEADER_BYTES) {
      throw new IOException("a chunk became shorter while it was read");
    }
    // Size and state as of opening, whatever the file says by now.
    ByteBuffer.wrap(header).putLong(SIZE, size).put(STATE, (byte) 0);
    out.write(header);
    repository.copy(file, HEADER_BYTES, size, out);
  }
}
