package stackweave.agent.cli.record;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.process.TargetDirectory;
import stackweave.agent.cli.process.TargetFile;
import stackweave.agent.cli.process.TargetJvm;

/**
 * The chunks of one recording in another JVM's JFR repository, which remain if the process is
 * killed. The directory is opened while the process lives, since its root is gone afterwards. Used
 * by {@link RemoteRecording}. Not thread-safe.
 */
final class Repository implements AutoCloseable {
  /** How long reading the headers of all chunks may take. */
  private static final long MAX_NANOS = 60_000_000_000L;

  private final TargetJvm jvm;

  /** Names of the chunks of earlier recordings. */
  private Set<String> earlier;

  /** Null if the JVM has none, or its user can't read it, and so this command must not. */
  private TargetDirectory directory;

  /** The files of the chunks, opened when needed. */
  private final List<TargetFile> files = new ArrayList<>();

  /** Lists the chunks that exist before the recording is started. */
  Repository(TargetJvm jvm) throws FailedException {
    this.jvm = jvm;
    try (TargetDirectory before = find()) {
      earlier = before == null ? Set.of() : before.recordings();
    } catch (IOException e) {
      earlier = Set.of(); // not readable, so nothing is read from it later either
    }
  }

  private TargetDirectory find() throws FailedException, IOException {
    String path = RecordingRoom.repository(jvm, null);
    return path == null
        ? null
        : jvm.process().act(() -> TargetDirectory.ofTarget(jvm.process(), path));
  }

  /** Opens the directory after the recording's start: JFR creates it for the first recording. */
  void open() {
    try {
      directory = find();
    } catch (FailedException | IOException e) {
      return; // the JVM has ended, or the directory is not readable
    }
  }

  /**
   * Why the recording must end before JFR runs out of room; empty if there is enough.
   *
   * @param destination where JFR will write the recording's own file
   */
  String shortage(TargetDirectory destination) {
    try {
      if (directory != null) {
        long copied = directory.isOnSameDiskAs(destination) ? directory.bytes(earlier) : 0;
        return RecordingRoom.shortage(directory.room(), copied, directory.seen());
      }
    } catch (IOException e) {
      // The process's user can't read it any more; JFR reports its own end.
    }
    return "";
  }

  /** The readable chunks of the recording, in their order. */
  List<ChunkFile> chunks() throws IOException {
    List<ChunkFile> chunks = new ArrayList<>();
    long start = System.nanoTime();
    for (String name : directory == null ? Set.<String>of() : directory.recordings()) {
      if (System.nanoTime() - start > MAX_NANOS) {
        throw new IOException("they come too slowly");
      }
      if (!earlier.contains(name)) {
        TargetFile file = directory.fetch(name);
        files.add(file);
        ChunkFile readable = ChunkFile.at(0, file);
        if (readable != null) {
          chunks.add(readable);
        }
      }
    }
    chunks.sort(Comparator.comparingLong(ChunkFile::startNanos));
    return chunks;
  }

  /** Its path as the program sees it. */
  String seen() {
    return directory == null ? "its repository" : directory.seen();
  }

  @Override
  public void close() {
    files.forEach(TargetFile::close);
    if (directory != null) {
      directory.close();
    }
  }
}
