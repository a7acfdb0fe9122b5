package stackweave.jfr.weave.live;

import java.io.Closeable;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import stackweave.jfr.weave.format.EncodedBytes;

/**
 * A file without a name, in which what is encoded waits for the end of its chunk: events and
 * constants, each one behind the other. The bytes are in no heap. No channel: an interrupt of the
 * thread would close it. Not thread-safe.
 */
final class LiveFile implements Closeable {
  /** Where the constants begin, behind the most bytes of events; what is between is a hole. */
  private static final long CONSTANTS_AT = 2L * LiveWeave.MAX_BYTES;

  /** Truncated before it is used again: its blocks are not needed at once. */
  private static final long MOST_KEPT = 1 << 20;

  private final RandomAccessFile file;
  private long events;
  private long constants;

  private LiveFile(RandomAccessFile file) {
    this.file = file;
  }

  /**
   * Makes one that only the process's user can read, in the first directory that takes it.
   *
   * @throws IOException if none does
   */
  static LiveFile in(List<Path> directories) throws IOException {
    IOException why = new IOException("there is no directory");
    for (Path directory : directories) {
      try {
        return in(directory);
      } catch (IOException e) {
        why = e;
      }
    }
    throw why;
  }

  private static LiveFile in(Path directory) throws IOException {
    Path path = directory.resolve(".stackweave-woven-" + Long.toHexString(System.nanoTime()));
    Files.createFile(
        path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    File named = path.toFile();
    try {
      return new LiveFile(new RandomAccessFile(named, "rw"));
    } finally {
      if (!named.delete()) {
        named.deleteOnExit();
      }
    }
  }

  /** The file itself, for a trial of what is done with JFR's. */
  RandomAccessFile file() {
    return file;
  }

  /** Forgets what is in it. */
  void clear() throws IOException {
    if (events + constants > MOST_KEPT) {
      file.setLength(0);
    }
    events = 0;
    constants = 0;
  }

  void addEvents(EncodedBytes bytes) throws IOException {
    file.seek(events);
    bytes.writeTo(file);
    events += bytes.size();
  }

  void addConstants(EncodedBytes bytes) throws IOException {
    file.seek(CONSTANTS_AT + constants);
    bytes.writeTo(file);
    constants += bytes.size();
  }

  void copyEvents(RandomAccessFile out, byte[] buffer) throws IOException {
    copy(0, events, out, buffer);
  }

  void copyConstants(RandomAccessFile out, byte[] buffer) throws IOException {
    copy(CONSTANTS_AT, constants, out, buffer);
  }

  private void copy(long from, long count, RandomAccessFile out, byte[] buffer) throws IOException {
    file.seek(from);
    for (long left = count; left > 0; ) {
      int read = file.read(buffer, 0, (int) Math.min(left, buffer.length));
      if (read <= 0) {
        throw new EOFException("what was encoded is not in its file any more");
      }
      out.write(buffer, 0, read);
      left -= read;
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
