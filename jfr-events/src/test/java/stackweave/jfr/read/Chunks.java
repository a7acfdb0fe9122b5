package stackweave.jfr.read;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import stackweave.jfr.chunk.ChunkHeader;

/** The chunks of a recording as files of their own. */
public final class Chunks {
  private Chunks() {}

  /** Extracts every chunk; the caller deletes the files. */
  public static List<Path> extract(Path recording) throws RecordingException, IOException {
    List<Path> files = new ArrayList<>();
    for (ChunkHeader chunk : ChunkList.scan(recording).chunks()) {
      files.add(extract(recording, chunk));
    }
    return files;
  }

  /** Extracts a chunk, finished or not; the caller deletes the file. */
  public static Path extract(Path recording, ChunkHeader chunk) throws IOException {
    byte[] bytes = new byte[(int) chunk.size()];
    try (RandomAccessFile from = new RandomAccessFile(recording.toFile(), "r")) {
      from.seek(chunk.position());
      from.readFully(bytes);
    }
    Path file = Files.createTempFile("stackweave-chunk", ".jfr");
    file.toFile().deleteOnExit();
    return Files.write(file, bytes);
  }

  /** Samples whose definitions are not all in their own chunk. */
  public static long unresolved(Path recording) throws RecordingException, IOException {
    long unresolved = 0;
    for (Path chunk : extract(recording)) {
      try {
        SampledRecording profile = SampledRecording.open(chunk);
        unresolved += profile.unresolved();
      } catch (RecordingException e) {
        if (!e.getMessage().contains("holds no samples")) {
          throw e;
        }
      } finally {
        Files.delete(chunk);
      }
    }
    return unresolved;
  }
}
