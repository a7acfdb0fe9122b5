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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import stackweave.jfr.chunk.ChunkHeader;

/**
 * The directory in which the JVMs of a program write: each a file when its recording ends, and
 * until then the chunks of its repository, which stay if it is killed. Not thread-safe.
 */
final class JvmRecordings {
  /** What is there of a JVM: a file that JFR names, its repository, or a file named as that. */
  private static final Pattern OF_JVM =
      Pattern.compile("hotspot-pid-(\\d{1,9})-.*\\.jfr|\\d{4}[\\d_]*_(\\d{1,9})(?:\\.jfr)?");

  private static final String ENDING = ".jfr";

  /** Where a chunk's header has its state; 0 if it is finished. */
  private static final int STATE = 64;

  /** The state while the JVM writes the header. */
  private static final byte IN_DOUBT = (byte) 255;

  private final Path directory;

  /**
   * The JVMs that ran when their recordings were looked for; what has ended by now is kept, too.
   */
  private final Set<Long> running = ConcurrentHashMap.newKeySet();

  /** Those whose recordings were found. */
  private final Set<Long> ended = ConcurrentHashMap.newKeySet();

  /**
   * A recording that a JVM has ended.
   *
   * @param pid the JVM's process id in its own namespace
   * @param wasKilled whether the JVM did not complete it
   */
  record Found(long pid, Path file, boolean wasKilled) {}

  JvmRecordings(Path directory) {
    this.directory = directory;
  }

  /** Where they are. */
  Path directory() {
    return directory;
  }

  /** The process ids of the JVMs that ran at {@link #found}, whether their recordings had ended. */
  Set<Long> running() {
    return new TreeSet<>(running);
  }

  /** The recordings that have ended, by their JVMs' process ids. */
  List<Found> found() throws IOException {
    list().stream().map(JvmRecordings::pid).filter(JvmRecordings::isAlive).forEach(running::add);
    Map<Long, Found> found = new TreeMap<>();
    Map<Long, Path> repositories = new TreeMap<>();
    for (Path each : list()) { // of those that do not run, all that they write is there
      long pid = pid(each);
      if (pid > 0 && Files.isDirectory(each)) {
        repositories.put(pid, each);
      } else if (pid > 0 && Files.size(each) > 0) {
        found.put(pid, new Found(pid, each, false));
      }
    }
    for (Map.Entry<Long, Path> each : repositories.entrySet()) {
      long pid = each.getKey();
      List<Path> chunks = chunks(each.getValue());
      if (running.contains(pid)) {
        if (!chunks.isEmpty()) {
          found.remove(pid); // JFR may be writing it
        }
      } else if (!found.containsKey(pid)) {
        Path file = directory.resolve(each.getValue().getFileName() + ENDING);
        if (join(chunks, file)) {
          found.put(pid, new Found(pid, file, true));
        }
      }
    }
    ended.addAll(found.keySet());
    return List.copyOf(found.values());
  }

  /** The process id of the JVM that has written a file or directory; 0 if none has. */
  private static long pid(Path file) {
    Matcher name = OF_JVM.matcher(file.getFileName().toString());
    return name.matches() ? Long.parseLong(name.group(name.group(1) == null ? 2 : 1)) : 0;
  }

  private static boolean isAlive(long pid) {
    return pid > 0 && ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }

  private List<Path> list() throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.sorted().toList();
    }
  }

  private static List<Path> chunks(Path repository) throws IOException {
    try (Stream<Path> all = Files.list(repository)) {
      return all.filter(each -> each.toString().endsWith(ENDING)).sorted().toList();
    } catch (NoSuchFileException e) {
      return List.of(); // its JVM has ended meanwhile
    }
  }

  /** Joins the chunks of a JVM that was killed, up to their last flush; false if there are none. */
  private static boolean join(List<Path> chunks, Path file) throws IOException {
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

  /**
   * Removes the directory, with all that is in it but what a JVM that runs needs: its repository,
   * without which JFR would end it, and the file of a recording that was not found.
   */
  void remove() throws IOException {
    boolean isEmpty = true;
    for (Path each : list()) {
      long pid = pid(each);
      if ((running.contains(pid) || isAlive(pid))
          && (Files.isDirectory(each) || !ended.contains(pid))) {
        isEmpty = false;
      } else {
        removeAll(each);
      }
    }
    if (isEmpty) {
      Files.deleteIfExists(directory);
    }
  }

  private static void removeAll(Path top) throws IOException {
    try (Stream<Path> all = Files.walk(top)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (NoSuchFileException | UncheckedIOException e) {
      return; // a JVM that ends removes its own
    }
  }
}
