package stackweave.agent.cli.start;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import stackweave.jfr.chunk.ChunkHeader;

/**
 * The directory in which the JVMs of a program write: each a file when it ends, and until then the
 * chunks of its repository, which stay if it is killed. Not thread-safe.
 */
final class JvmRecordings {
  /** A file that JFR names. */
  private static final Pattern WHOLE = Pattern.compile("hotspot-pid-(\\d{1,9})-id-\\d+-(.*)\\.jfr");

  /** A directory of chunks. */
  private static final Pattern REPOSITORY = Pattern.compile("(\\d{4}[\\d_]*)_(\\d{1,9})");

  /** Where a chunk's header has its state; 0 if it is finished. */
  private static final int STATE = 64;

  /** The state while the JVM writes the header. */
  private static final byte IN_DOUBT = (byte) 255;

  private final Path directory;

  /**
   * A recording of a JVM.
   *
   * @param pid the JVM's process id in its own namespace
   * @param begin when it began, or ended if it was not killed, as JFR writes it
   * @param wasKilled whether it did not complete its recording
   */
  record Found(long pid, String begin, Path file, boolean wasKilled) {}

  JvmRecordings(Path directory) {
    this.directory = directory;
  }

  /** Where they are. */
  Path directory() {
    return directory;
  }

  /** The process ids of those that still run. */
  List<Long> running() throws IOException {
    List<Long> running = new ArrayList<>();
    for (Path each : list()) {
      Matcher repository = REPOSITORY.matcher(each.getFileName().toString());
      if (repository.matches() && isAlive(Long.parseLong(repository.group(2)))) {
        running.add(Long.parseLong(repository.group(2)));
      }
    }
    return running;
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }

  /**
   * The recordings of those that have ended.
   *
   * @param first the process whose recording comes first, if there is one
   */
  List<Found> found(long first) throws IOException {
    Map<Long, Found> found = new TreeMap<>();
    List<Path> all = list();
    for (Path each : all) {
      Matcher whole = WHOLE.matcher(each.getFileName().toString());
      if (whole.matches() && Files.size(each) > 0) {
        long pid = Long.parseLong(whole.group(1));
        found.put(pid, new Found(pid, whole.group(2), each, false));
      }
    }
    for (Path each : all) {
      Matcher repository = REPOSITORY.matcher(each.getFileName().toString());
      if (repository.matches()) {
        long pid = Long.parseLong(repository.group(2));
        if (!found.containsKey(pid) && !isAlive(pid)) {
          Path file = directory.resolve(each.getFileName() + ".jfr");
          if (join(each, file)) {
            found.put(pid, new Found(pid, repository.group(1), file, true));
          }
        }
      }
    }
    List<Found> sorted = new ArrayList<>(found.values());
    sorted.sort(
        Comparator.comparing((Found each) -> each.pid() != first).thenComparing(Found::begin));
    return sorted;
  }

  private List<Path> list() throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.sorted().toList();
    }
  }

  /** Joins the chunks of a JVM that was killed, up to their last flush; false if there are none. */
  private static boolean join(Path repository, Path file) throws IOException {
    List<Path> chunks;
    try (Stream<Path> all = Files.list(repository)) {
      chunks = all.filter(each -> each.toString().endsWith(".jfr")).sorted().toList();
    }
    try (OutputStream out = Files.newOutputStream(file)) {
      for (Path chunk : chunks) {
        copy(chunk, out);
      }
    }
    return Files.size(file) > 0;
  }

  /** Copies what is flushed, marked as finished in the header so that JFR's readers accept it. */
  private static void copy(Path chunk, OutputStream out) throws IOException {
    try (FileChannel in = FileChannel.open(chunk)) {
      ByteBuffer bytes = ByteBuffer.allocate(ChunkHeader.BYTES);
      while (bytes.hasRemaining() && in.read(bytes) > 0) {
        // Reads until all is there, or the file ends.
      }
      if (bytes.hasRemaining() || !ChunkHeader.hasMagic(bytes) || bytes.get(STATE) == IN_DOUBT) {
        return;
      }
      ChunkHeader header = ChunkHeader.of(bytes, 0);
      if (header.size() > ChunkHeader.BYTES && header.fitsInto(in.size())) {
        out.write(bytes.put(STATE, (byte) 0).array());
        for (long at = ChunkHeader.BYTES; at < header.size(); ) {
          at += in.transferTo(at, header.size() - at, Channels.newChannel(out));
        }
      }
    }
  }

  /** Removes the directory with all that is in it. */
  void remove() throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (NoSuchFileException | UncheckedIOException e) {
      return; // a JVM that ends removes its own
    }
  }
}
