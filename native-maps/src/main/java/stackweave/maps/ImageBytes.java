package stackweave.maps;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import stackweave.maps.ElfFormatException.Reason;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The bytes of an ELF image by position, each access checked against its end.
 *
 * <p>Position is the file offset for a file, the distance from the ELF header for memory.
 */
interface ImageBytes {

  /**
   * No section larger than this is read, so that the application's heap does not suffer: 64 MiB, or
   * an eighth of the heap if that is less.
   */
  int MAX_COPY = (int) Math.min(64 << 20, Runtime.getRuntime().maxMemory() / 8);

  /** The first position after the image. */
  long size();

  /** A view or copy of a range, positioned at 0; the byte order is for the caller to set. */
  ByteBuffer slice(long position, long size) throws ElfFormatException;

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
   */
  record OfFile(Path path, List<Object> identity, long size) implements ImageBytes {

    static OfFile open(Path path) throws ElfFormatException {
      List<Object> identity = identity(path);
      return new OfFile(path, identity, (Long) identity.get(identity.size() - 1));
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
      byte[] copy = new byte[(int) size];
      // Not a channel: it would be closed if the thread is interrupted.
      try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
        file.seek(position);
        file.readFully(copy);
      } catch (EOFException e) {
        throw new ElfFormatException(Reason.CHANGED, position);
      } catch (IOException e) {
        throw new ElfFormatException(Reason.UNREADABLE, position);
      }
      return ByteBuffer.wrap(copy);
    }
  }

  /** The image as the loader has laid it out in memory; slices are copies. */
  record OfMemory(MemoryReader memory, long base, long size) implements ImageBytes {
    @Override
    public ByteBuffer slice(long position, long size) throws ElfFormatException {
      check(position, size);
      byte[] copy = new byte[(int) size];
      try {
        memory.read(base + position, copy, 0, copy.length);
      } catch (UnreadableMemoryException e) {
        throw new ElfFormatException(Reason.UNREADABLE, position);
      }
      return ByteBuffer.wrap(copy);
    }
  }
}
