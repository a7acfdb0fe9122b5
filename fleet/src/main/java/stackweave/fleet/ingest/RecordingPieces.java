package stackweave.fleet.ingest;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.read.ChunkList;
import stackweave.jfr.read.RecordingException;

/**
 * A long recording in pieces of whole chunks, each of which is a recording itself: a chunk has the
 * definitions of all its samples. So the memory that reading takes depends on the size of a chunk,
 * and not on that of the recording. Not thread-safe.
 */
final class RecordingPieces {
  /** A piece is of one chunk at least; JFR's are of 12 MiB, where nobody says otherwise. */
  private static final long PIECE_BYTES = 16L << 20;

  /** From the first byte up to the one behind the last. */
  private record Range(long from, long to) {}

  private final Path file;
  private final List<Range> ranges = new ArrayList<>();
  private final List<String> losses;
  private int next;

  /**
   * Divides a recording.
   *
   * @throws RecordingException if it is none; one line for users
   */
  RecordingPieces(Path file) throws IOException, RecordingException {
    this(file, PIECE_BYTES);
  }

  /**
   * @param most bytes of a piece of several chunks
   */
  RecordingPieces(Path file, long most) throws IOException, RecordingException {
    this.file = file;
    ChunkList chunks = ChunkList.scan(file);
    losses = chunks.losses();
    long from = 0;
    long to = 0;
    for (ChunkHeader chunk : chunks.chunks()) {
      if (chunk.end() - from > most && to > from) {
        ranges.add(new Range(from, to));
        from = to;
      }
      to = chunk.end();
    }
    // The last one goes to the end: what is there that is no chunk is a loss, which the reader
    // says.
    ranges.add(new Range(from, Files.size(file)));
  }

  /** What is wrong with the recording as a whole, one line each. */
  List<String> losses() {
    return losses;
  }

  boolean hasNext() {
    return next < ranges.size();
  }

  /**
   * The next piece as a file.
   *
   * @return the recording itself if it is one piece; else a file that the caller deletes
   */
  Path next() throws IOException {
    Range range = ranges.get(next++);
    if (ranges.size() == 1) {
      return file;
    }
    Path piece = LocalCopy.temporaryFile(".piece.jfr");
    try (FileChannel in = FileChannel.open(file);
        FileChannel out = FileChannel.open(piece, StandardOpenOption.WRITE)) {
      for (long at = range.from; at < range.to; ) {
        at += in.transferTo(at, range.to - at, out);
      }
    } catch (IOException e) {
      Files.delete(piece);
      throw e;
    }
    return piece;
  }
}
