package stackweave.jfr.weave.format;

import java.io.Closeable;
import java.io.DataOutput;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * An unlinked file in which encoded events and constants wait for the end of their chunk, off the
 * heap. Uses no channel: an interrupt of the thread would close it. Not thread-safe.
 */
public final class WaitingBytes implements Closeable {
  /** Offset of the constants, above the most bytes of events; between them the file has a hole. */
  private static final long CONSTANTS_AT = 2L * WovenChunk.MAX_BYTES;

  private final RandomAccessFile file;
  private long events;
  private long constants;

  private WaitingBytes(RandomAccessFile file) {
    this.file = file;
  }

  /**
   * Creates a file that only the process's user can read, in the first directory that takes it.
   *
   * @throws IOException if none does
   */
  public static WaitingBytes in(List<Path> directories) throws IOException {
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

  private static WaitingBytes in(Path directory) throws IOException {
    Path path = directory.resolve(".stackweave-woven-" + Long.toHexString(System.nanoTime()));
    Files.createFile(
        path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    File named = path.toFile();
    try {
      return new WaitingBytes(new RandomAccessFile(named, "rw"));
    } finally {
      if (!named.delete()) {
        named.deleteOnExit();
      }
    }
  }

  /** The file itself, for a rehearsal of what is done with JFR's file. */
  public RandomAccessFile file() {
    return file;
  }

  /** Adds bytes of events. */
  public void addEvents(EncodedBytes bytes) throws IOException {
    file.seek(events);
    bytes.writeTo(file);
    events += bytes.size();
  }

  void addConstants(EncodedBytes bytes) throws IOException {
    file.seek(CONSTANTS_AT + constants);
    bytes.writeTo(file);
    constants += bytes.size();
  }

  void copyEvents(DataOutput out, byte[] buffer) throws IOException {
    copy(0, events, out, buffer);
  }

  void copyConstants(DataOutput out, byte[] buffer) throws IOException {
    copy(CONSTANTS_AT, constants, out, buffer);
  }

  private void copy(long from, long count, DataOutput out, byte[] buffer) throws IOException {
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
