package stackweave.jfr.read;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
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

  /**
   * By how many nanoseconds the clocks of the chunks of a file differ. JFR reads the time of day
   * and its own clock one after the other when it begins a chunk, and the machine may stop it
   * between the two.
   */
  public static long clockSpread(Path file) throws Exception {
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    List<ChunkHeader> chunks = ChunkList.scan(file).chunks();
    for (ChunkHeader chunk : chunks) {
      long nanos = chunk.nanosAt(chunks.get(0).startTicks());
      least = Math.min(least, nanos);
      most = Math.max(most, nanos);
    }
    return most - least;
  }

  /**
   * Waits until JFR has flushed the last chunk of this process twice: all that was written before
   * is in its file then. JFR flushes once a second, if the machine lets it.
   */
  public static void awaitFlush() throws Exception {
    Path repository = Path.of(System.getProperty("jdk.jfr.repository"));
    long size = -1;
    for (int sizes = 0; sizes < 3; ) { // as it was, and after each flush
      Thread.sleep(20);
      try (Stream<Path> files = Files.list(repository)) {
        Path last =
            files
                .filter(file -> file.toString().endsWith(".jfr"))
                .max(Comparator.comparing(file -> file.toString().replace(".jfr", "")))
                .orElseThrow();
        try (RandomAccessFile chunk = new RandomAccessFile(last.toFile(), "r")) {
          chunk.seek(8);
          long now = chunk.readLong();
          sizes += now == size ? 0 : 1;
          size = now;
        }
      }
    }
  }
}
