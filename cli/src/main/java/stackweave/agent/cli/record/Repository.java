package stackweave.agent.cli.record;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.process.TargetDirectory;
import stackweave.agent.cli.process.TargetFile;
import stackweave.agent.cli.process.TargetJvm;

/**
 * JFR's repository in another JVM, with the chunks of one recording. They are opened while JFR
 * writes them, and used if the process is killed, or if JFR can't write the recording's file,
 * whatever has become of the directories. Used by {@link RemoteRecording}. Not thread-safe.
 */
final class Repository implements AutoCloseable {
  /** Chunks that are held open before they are needed, 6 GB; each takes a file descriptor. */
  private static final int MAX_HELD = 500;

  /** How long reading the headers of all chunks may take. */
  private static final long MAX_NANOS = 60_000_000_000L;

  private final TargetJvm jvm;

  /** Names of the chunks of earlier recordings. */
  private Set<String> earlier;

  /** Null if the JVM names none, or its user can't read it, so neither may this command. */
  private TargetDirectory directory;

  /** Chunks of the recording, by name. */
  private final Map<String, TargetFile> held = new LinkedHashMap<>();

  /** Notes which chunks are there before the recording is started. */
  Repository(TargetJvm jvm) throws FailedException {
    this.jvm = jvm;
    try (TargetDirectory before = open()) {
      earlier = before == null ? Set.of() : before.recordings();
    } catch (IOException e) {
      earlier = Set.of(); // not readable: then nothing is taken from it later either
    }
  }

  private TargetDirectory open() throws FailedException, IOException {
    String path = jvm.repository();
    return path == null
        ? null
        : jvm.process().act(() -> TargetDirectory.ofTarget(jvm.process(), path));
  }

  /** Opens it after the recording was started: JFR makes it with the first recording. */
  void begin() {
    try {
      directory = open();
    } catch (FailedException | IOException e) {
      return; // the JVM has ended, or the directory is not readable
    }
    hold();
  }

  /** Opens the chunks that JFR has begun since. */
  void hold() {
    try {
      hold(MAX_HELD);
    } catch (FailedException | IOException e) {
      return; // not there, or not its user's: chunks() says so, if they are needed
    }
  }

  private void hold(int most) throws FailedException, IOException {
    if (directory == null) {
      return;
    }
    if (directory.isRemoved() && jvm.process().isAlive()) {
      TargetDirectory other = open(); // JFR makes another with its next chunk
      if (other != null) {
        directory.close();
        directory = other;
        earlier = Set.of();
      }
    }
    for (String chunk : directory.recordings()) {
      if (held.size() < most && !earlier.contains(chunk) && !held.containsKey(chunk)) {
        held.put(chunk, directory.fetch(chunk));
      }
    }
  }

  /**
   * Why the recording must end before JFR has no room left; empty if there is enough.
   *
   * @param destination where JFR will write the recording's own file
   */
  String shortage(TargetDirectory destination) {
    try {
      if (directory != null) {
        long copied = 0;
        if (directory.isOnSameDiskAs(destination)) {
          for (TargetFile chunk : held.values()) {
            copied += chunk.size();
          }
        }
        return RecordingRoom.shortage(directory.room(), copied, directory.seen());
      }
    } catch (IOException e) {
      // The process's user can't look any more; JFR's own end says so.
    }
    return "";
  }

  /** Whether a running JVM's repository is no longer there by its name. */
  boolean isRemoved() throws IOException {
    return directory != null && jvm.process().isAlive() && directory.isRemoved();
  }

  /** The recording's chunks as far as they can be read, in their order. */
  List<ChunkFile> chunks() throws FailedException, IOException {
    if (!jvm.process().isAlive()) {
      hold(Integer.MAX_VALUE);
    }
    List<ChunkFile> chunks = new ArrayList<>();
    long start = System.nanoTime();
    for (TargetFile file : held.values()) {
      if (System.nanoTime() - start > MAX_NANOS) {
        throw new IOException("they come too slowly");
      }
      ChunkFile readable = ChunkFile.at(0, file);
      if (readable != null) {
        chunks.add(readable);
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
    held.values().forEach(TargetFile::close);
    if (directory != null) {
      directory.close();
    }
  }
}
