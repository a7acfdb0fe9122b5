package stackweave.jfr.chunk;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** A file of chunks that is open for reading. Not thread-safe. */
public final class ChunkSource implements Closeable {
  private final RandomAccessFile file;

  /** The metadata read last: those of the chunks of one process are mostly the same. */
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

  Metadata metadata(ChunkHeader chunk) throws IOException {
    metadata = Metadata.read(this, chunk, metadata);
    return metadata;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
