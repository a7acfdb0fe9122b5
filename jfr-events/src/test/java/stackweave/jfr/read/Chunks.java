package stackweave.jfr.read;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The chunks of a recording as files of their own. */
public final class Chunks {
  private Chunks() {}

  /** Extracts every chunk; the caller deletes the files. */
  public static List<Path> extract(Path recording) throws RecordingException, IOException {
    ChunkList list = ChunkList.scan(recording);
    List<Path> files = new ArrayList<>();
    for (ChunkList.Chunk chunk : list.chunks()) {
      files.add(list.extract(chunk));
    }
    return files;
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
