package stackweave.maps.elf;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import stackweave.maps.elf.ElfFormatException.Reason;
import stackweave.maps.proc.ProcessFiles;
import stackweave.maps.proc.ProcessFiles.OpenFile;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.TableMemory;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The bytes of an ELF image by position, each access checked against its end. A position is the
 * file offset for a file, the distance from the ELF header for memory.
 */
public interface ImageBytes {

  /** The largest range that is read, in bytes. */
  int MAX_COPY = 64 << 20;

  /** Bytes copied at a time to a table's memory. */
  int PIECE = 8 << 10;

  /** The first position after the image. */
  long size();

  /**
   * A view or copy of a range, positioned at 0; the caller sets the byte order.
   *
   * @throws ElfFormatException if the range is outside, too large or not readable
   */
  ByteBuffer slice(long position, long size) throws ElfFormatException;

  /** Releases the result of {@link #slice} if it is a copy; it must not be used afterwards. */
  default void release(ByteBuffer slice) {}

  /** Fails for a range that is not wholly inside, or too large. */
  default void check(long position, long size) throws ElfFormatException {
    if (position < 0 || size < 0 || position > size() - size) {
      throw new ElfFormatException(Reason.OUT_OF_BOUNDS, position);
    }
    if (size > MAX_COPY) {
      throw new ElfFormatException(Reason.TOO_LARGE, position);
    }
  }

  /** Reads a part of an image. */
  @FunctionalInterface
  interface Source {
    void read(long position, byte[] to, int length) throws IOException, UnreadableMemoryException;
  }

  /** Copies a range piece by piece to a table's memory. */
  private static ByteBuffer copy(TableMemory tables, long position, long size, Source source)
      throws ElfFormatException {
    if (!tables.hasRoom(size)) {
      throw new ElfFormatException(Reason.TOO_LARGE, position);
    }
    ByteBuffer copy = tables.allocate((int) size);
    byte[] piece = new byte[(int) Math.min(size, PIECE)];
    try {
      for (int done = 0; done < size; done += piece.length) {
        int length = (int) Math.min(size - done, piece.length);
        source.read(position + done, piece, length);
        copy.put(done, piece, 0, length);
      }
      return copy;
    } catch (IOException | UnreadableMemoryException e) {
      tables.release(copy);
      boolean shorter = e instanceof EOFException;
      throw new ElfFormatException(shorter ? Reason.CHANGED : Reason.UNREADABLE, position);
    }
  }

  /** A whole image in one buffer. */
  record OfBuffer(ByteBuffer buffer) implements ImageBytes {
    @Override
    public long size() {
      return buffer.limit();
    }

    @Override
    public ByteBuffer slice(long position, long size) throws ElfFormatException {
      check(position, size);
      return buffer.slice((int) position, (int) size);
    }
  }

  /**
   * A file. Each slice is a copy, read through a new descriptor after a check that the file is
   * unchanged. It is never mapped: reading a mapped file that another process truncates is a
   * SIGBUS, which JDK 17 can die of instead of throwing an InternalError.
   *
   * @param files whose file it is
   * @param identity of the file, from {@link #identity}
   * @param tables where copies are allocated
   */
  record OfFile(ProcessFiles files, Path path, List<Object> identity, long size, TableMemory tables)
      implements ImageBytes {

    /** Opens a regular file of this process, as it is now. */
    public static OfFile open(Path path, TableMemory tables) throws ElfFormatException {
      return open(ProcessFiles.OWN, path, tables);
    }

    /** Opens a regular file, as it is now. */
    public static OfFile open(ProcessFiles files, Path path, TableMemory tables)
        throws ElfFormatException {
      try (OpenFile file = files.open(path)) {
        List<Object> identity = identity(file);
        return new OfFile(files, path, identity, (Long) identity.get(identity.size() - 1), tables);
      } catch (IOException e) {
        throw new ElfFormatException(Reason.UNREADABLE, 0);
      }
    }

    /**
     * Whether the path still leads to the same file with the same content, by device, inode, time
     * and size.
     */
    boolean isUnchanged() {
      try (OpenFile file = files.open(path)) {
        return identity.equals(identity(file));
      } catch (IOException e) {
        return false;
      }
    }

    private static List<Object> identity(OpenFile file) throws IOException {
      Map<String, Object> a =
          Files.readAttributes(file.path(), "unix:dev,ino,lastModifiedTime,size,isRegularFile");
      if (!a.get("isRegularFile").equals(true)) {
        // Opening a device can have effects, and opening a pipe can block.
        throw new IOException(file + " is no regular file");
      }
      return List.of(a.get("dev"), a.get("ino"), a.get("lastModifiedTime"), a.get("size"));
    }

    @Override
    public ByteBuffer slice(long position, long size) throws ElfFormatException {
      check(position, size);
      try (OpenFile open = files.open(path)) {
        if (!identity.equals(identity(open))) {
          throw new ElfFormatException(Reason.CHANGED, position);
        }
        // Not a channel, which is closed if the thread is interrupted.
        try (RandomAccessFile file = new RandomAccessFile(open.path().toFile(), "r")) {
          file.seek(position);
          return copy(
              tables, position, size, (at, piece, length) -> file.readFully(piece, 0, length));
        }
      } catch (IOException e) {
        throw new ElfFormatException(Reason.UNREADABLE, position);
      }
    }

    @Override
    public void release(ByteBuffer slice) {
      tables.release(slice);
    }
  }

  /**
   * An image in memory, as laid out by the loader; slices are copies.
   *
   * @param tables where copies are allocated
   */
  record OfMemory(MemoryReader memory, long base, long size, TableMemory tables)
      implements ImageBytes {
    @Override
    public ByteBuffer slice(long position, long size) throws ElfFormatException {
      check(position, size);
      return copy(
          tables, position, size, (at, piece, length) -> memory.read(base + at, piece, 0, length));
    }
  }
}
