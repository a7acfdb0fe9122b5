package stackweave.maps;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import stackweave.maps.ElfFormatException.Reason;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The bytes of an ELF image by position, each access checked against its end.
 *
 * <p>Position is the file offset for a file, the distance from the ELF header for memory.
 */
interface ImageBytes {

  /** More than this is never copied to the heap: from memory, or by decompression. */
  int MAX_COPY = 64 << 20;

  /** The first position after the image. */
  long size();

  /** A view or copy of a range, positioned at 0; the byte order is for the caller to set. */
  ByteBuffer slice(long position, long size) throws ElfFormatException;

  /** Refuses a range that is not wholly inside. */
  default void check(long position, long size) throws ElfFormatException {
    if (position < 0 || size < 0 || position > size() - size) {
      throw new ElfFormatException(Reason.OUT_OF_BOUNDS, position);
    }
    if (size > Integer.MAX_VALUE) {
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
   * A file that is mapped in pieces, because a buffer ends at 2 GiB and libraries do not. The
   * channel may be closed as soon as all pieces were asked for.
   */
  record OfChannel(FileChannel channel, long size) implements ImageBytes {
    @Override
    public ByteBuffer slice(long position, long size) throws ElfFormatException {
      check(position, size);
      try {
        return channel.map(FileChannel.MapMode.READ_ONLY, position, size);
      } catch (IOException e) {
        throw new ElfFormatException(Reason.UNREADABLE, position);
      }
    }
  }

  /** The bytes of a file as they are now, mapped and never copied. */
  static ImageBytes of(FileChannel channel) throws IOException {
    long size = channel.size();
    return size <= Integer.MAX_VALUE
        ? new OfBuffer(channel.map(FileChannel.MapMode.READ_ONLY, 0, size))
        : new OfChannel(channel, size);
  }

  /** The image as the loader has laid it out in memory; slices are copies. */
  record OfMemory(MemoryReader memory, long base, long size) implements ImageBytes {
    @Override
    public ByteBuffer slice(long position, long size) throws ElfFormatException {
      check(position, size);
      if (size > MAX_COPY) {
        throw new ElfFormatException(Reason.TOO_LARGE, position);
      }
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
