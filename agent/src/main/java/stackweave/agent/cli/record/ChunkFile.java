package stackweave.agent.cli.record;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import stackweave.agent.cli.process.TargetDirectory;
import stackweave.agent.linux.Descriptor;

/**
 * A chunk of a recording as JFR keeps it in its repository: a file of its own, which is complete
 * when the JVM has begun the next, and which says in its header up to where it can be read before
 * that, as JFR flushes it once a second.
 *
 * <p>Header (JDK: {@code jdk.jfr.internal.consumer.ChunkHeader}), big-endian: magic at 0, version
 * at 4, size at 8, position of the last checkpoint at 16, of the metadata at 24, start in
 * nanoseconds since the epoch at 32, state at 64.
 *
 * @param file open for reading
 * @param size how much of it can be read, in bytes
 * @param startNanos when it was begun, on the target's clock
 * @param isFinished whether the JVM finished it
 */
record ChunkFile(Descriptor file, long size, long startNanos, boolean isFinished)
    implements AutoCloseable {
  /** A terabyte, at JFR's usual size of a chunk; each costs a look at the target's file. */
  private static final int MAX_CHUNKS = 100_000;

  /** A file system of the target's user may answer slowly, and each time within its limit. */
  private static final long MAX_NANOS = 30_000_000_000L;

  private static final int HEADER_BYTES = 68;
  private static final int MAGIC = 0x464C5200;
  private static final int SIZE = 8;
  private static final int CHECKPOINT = 16;
  private static final int METADATA = 24;
  private static final int START = 32;
  private static final int STATE = 64;

  /** Of a chunk whose header was being written. */
  private static final int IN_DOUBT = 255;

  /** Opens a chunk; null if what has this name is none, or not one that can be read. */
  static ChunkFile open(TargetDirectory repository, String name) throws IOException {
    Descriptor file = repository.fetch(name);
    boolean good = false;
    try {
      ByteBuffer header = header(repository, file, 0);
      if (!isReadable(header, repository.size(file))) {
        return null;
      }
      good = true;
      return new ChunkFile(
          file, header.getLong(SIZE), header.getLong(START), header.get(STATE) == 0);
    } finally {
      if (!good) {
        file.close();
      }
    }
  }

  /** Whether a file is nothing but finished chunks: JFR has written all of it. */
  static boolean isWhole(TargetDirectory directory, Descriptor file) throws IOException {
    long size = directory.size(file);
    long at = 0;
    long start = System.nanoTime();
    for (int chunk = 0; at < size; chunk++) {
      if (chunk == MAX_CHUNKS || System.nanoTime() - start > MAX_NANOS) {
        return false;
      }
      ByteBuffer header = header(directory, file, at);
      if (!isReadable(header, size - at) || header.get(STATE) != 0) {
        return false;
      }
      at += header.getLong(SIZE);
    }
    return size > 0;
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

  /** Copies it as one that is finished, so that every reader of recordings takes it. */
  void copy(TargetDirectory repository, OutputStream out) throws IOException {
    byte[] header = repository.head(file, 0, HEADER_BYTES);
    if (header.length < HEADER_BYTES) {
      throw new IOException("a chunk became shorter while it was read");
    }
    // As it was when it was looked at, whatever it says by now.
    ByteBuffer.wrap(header).putLong(SIZE, size).put(STATE, (byte) 0);
    out.write(header);
    repository.copy(file, HEADER_BYTES, size, out);
  }

  @Override
  public void close() {
    file.close();
  }
}
