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
import stackweave.unwind.MemoryReader;
import stackweave.unwind.TableMemory;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The bytes of an ELF image by position, each access checked against its end.
 *
 * <p>Position is the file offset for a file, the distance from the ELF header for memory.
 */
public interface ImageBytes {

  /** No section larger than this is read, in bytes. */
  int MAX_COPY = 64 << 20;

  /** What is copied at once on its way to a table's memory. */
  int PIECE = 8 << 10;

  /** The first position after the image. */
  long size();

  /** A view or copy of a range, positioned at 0; the byte order is for the caller to set. */
  ByteBuffer slice(long position, long size) throws ElfFormatException;

  /** Gives back what {@link #slice} has returned, where that was a copy; it is of no use then. */
  default void release(ByteBuffer slice) {}

  /** Refuses a range that is not wholly inside. */
  default void check(long position, long size) throws ElfFormatException {
    if (position < 0 || size < 0 || position > size() - size) {
      throw new ElfFormatException(Reason.OUT_OF_BOUNDS, position);
    }
    if (size > MAX_COPY) {
      throw new ElfFormatException(Reason.TOO_LARGE, position);
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
   * A file. Each slice is a copy, read by a descriptor of its own that is closed again, after a
   * check that it is still the file that it was at first.
   *
   * <p>Never a mapping: when another process truncates a mapped file, a read of it is a SIGBUS.
   * HotSpot means to make an InternalError of that, but JDK 17 can die of an instruction in
   * compiled code that it does not know to skip.
   *
   * @param identity of the file, from {@link #identity}
   * @param tables where copies lie
   */
  record OfFile(Path path, List<Object> identity, long size, TableMemory tables)
      implements ImageBytes {

    static OfFile open(Path path, TableMemory tables) throws ElfFormatException {
      List<Object> identity = identity(path);
      return new OfFile(path, identity, (Long) identity.get(identity.size() - 1), tables);
    }

    /** Whether the path still leads to the same file with the same content. */
    boolean isUnchanged() {
      try {
        return identity.equals(identity(path));
      } catch (ElfFormatException e) {
        return false;
      }
    }

    private static List<Object> identity(Path path) throws ElfFormatException {
      try {
        Map<String, Object> a =
            Files.readAttributes(path, "unix:dev,ino,lastModifiedTime,size,isRegularFile");
        if (!a.get("isRegularFile").equals(true)) {
          // To open a device can have effects, and a pipe can make the opener wait.
          throw new ElfFormatException(Reason.UNREADABLE, 0);
        }
        return List.of(a.get("dev"), a.get("ino"), a.get("lastModifiedTime"), a.get("size"));
      } catch (IOException e) {
        throw new ElfFormatException(Reason.UNREADABLE, 0);
      }
    }

    @Override
    public ByteBuffer slice(long position, long size) throws ElfFormatException {
      check(position, size);
      if (!isUnchanged()) {
        throw new ElfFormatException(Reason.CHANGED, position);
      }
      ByteBuffer copy = tables.allocate((int) size);
      byte[] piece = new byte[(int) Math.min(size, PIECE)];
      // Not a channel: it would be closed if the thread is interrupted.
      try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
        file.seek(position);
        for (int done = 0; done < size; done += piece.length) {
          int length = (int) Math.min(size - done, piece.length);
          file.readFully(piece, 0, length);
          copy.put(done, piece, 0, length);
        }
      } catch (EOFException e) {
        tables.release(copy);
        throw new ElfFormatException(Reason.CHANGED, position);
      } catch (IOException e) {
        tables.release(copy);
        throw new ElfFormatException(Reason.UNREADABLE, position);
      }
      return copy;
    }

    @Override
    public void release(ByteBuffer slice) {
      tables.release(slice);
    }
  }

  /**
   * The image as the loader has laid it out in memory; slices are copies.
   *
   * @param tables where copies lie
   */
  record OfMemory(MemoryReader memory, long base, long size, TableMemory tables)
      implements ImageBytes {
    @Override
    public ByteBuffer slice(long position, long size) throws ElfFormatException {
      check(position, size);
      ByteBuffer copy = tables.allocate((int) size);
      byte[] piece = new byte[(int) Math.min(size, PIECE)];
      try {
        for (int done = 0; done < size; done += piece.length) {
          int length = (int) Math.min(size - done, piece.length);
          memory.read(base + position + done, piece, 0, length);
          copy.put(done, piece, 0, length);
        }
      } catch (UnreadableMemoryException e) {
        tables.release(copy);
        throw new ElfFormatException(Reason.UNREADABLE, position);
      }
      return copy;
    }
  }
}
