package stackweave.jfr.chunk;

import java.io.Closeable;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** A file of chunks that is open for reading. Not thread-safe. */
public final class ChunkSource implements Closeable {
  private static final int COPY_BYTES = 1 << 17;

  private final RandomAccessFile file;

  /** The metadata read last: most chunks of one process have the same. */
  private Metadata metadata;

  /**
   * Opens {@code file}.
   *
   * @throws FileNotFoundException if it can't be opened
   */
  public ChunkSource(Path file) throws FileNotFoundException {
    this.file = new RandomAccessFile(file.toString(), "r");
  }

  /** A window on the chunk, at its beginning. */
  ChunkInput input(int windowBytes, ChunkHeader chunk) {
    return new ChunkInput(file, windowBytes, chunk.position(), chunk.end());
  }

  /**
   * The metadata of a chunk.
   *
   * @throws IOException if they are damaged
   */
  public Metadata metadata(ChunkHeader chunk) throws IOException {
    metadata = Metadata.read(this, chunk, metadata);
    return metadata;
  }

  /**
   * Copies bytes of the file as they are.
   *
   * @throws IOException if the file has no such bytes, or they can't be written
   */
  public void copy(long from, long to, OutputStream out) throws IOException {
    byte[] buffer = new byte[(int) Math.min(COPY_BYTES, Math.max(0, to - from))];
    file.seek(from);
    for (long left = to - from; left > 0; ) {
      int count = file.read(buffer, 0, (int) Math.min(buffer.length, left));
      if (count <= 0) {
        throw new EOFException("ended while it was read");
      }
      out.write(buffer, 0, count);
      left -= count;
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
