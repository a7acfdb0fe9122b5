package stackweave.agent.cli.live;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.read.ChunkList;
import stackweave.jfr.read.RecordingException;

/**
 * The chunks of a recording that the one before it did not have: two that run at the same time
 * share chunks, whose samples would be counted twice. A chunk is known by its start, which no other
 * of the same JVM has. Not thread-safe.
 */
final class NewChunks {
  private Set<Long> before = Set.of();

  /**
   * Copies the new chunks of a recording.
   *
   * @return how many there were
   * @throws RecordingException if it can't be read at all
   */
  int copy(Path recording, Path to) throws IOException, RecordingException {
    Set<Long> starts = new HashSet<>();
    int copied = 0;
    try (FileChannel in = FileChannel.open(recording, StandardOpenOption.READ);
        FileChannel out =
            FileChannel.open(to, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
      for (ChunkHeader chunk : ChunkList.scan(recording).chunks()) {
        starts.add(chunk.startNanos());
        if (!before.contains(chunk.startNanos())) {
          copy(in, chunk, out);
          copied++;
        }
      }
    }
    before = starts;
    return copied;
  }

  private static void copy(FileChannel in, ChunkHeader chunk, FileChannel out) throws IOException {
    long position = chunk.position();
    while (position < chunk.end()) {
      long copied = in.transferTo(position, chunk.end() - position, out);
      if (copied <= 0) {
        throw new IOException("the recording became shorter");
      }
      position += copied;
    }
  }
}
