package stackweave.agent.linux;

import com.sun.jna.Pointer;
import java.nio.ByteBuffer;

/**
 * Memory that the kernel reads or writes: its address and a view of it in native byte order.
 *
 * <p>Mapped for itself rather than taken as a direct buffer, so that neither the application's
 * -XX:MaxDirectMemorySize nor a cleaner thread is involved. Freed by {@link #close} and by nothing
 * else; the view must not be used afterwards. Not thread-safe.
 */
public final class NativeBuffer implements AutoCloseable {
  private final long length;
  private final long address;
  private ByteBuffer bytes;

  private NativeBuffer(long address, long length) {
    this.address = address;
    this.length = length;
    this.bytes = new Pointer(address).getByteBuffer(0, length);
  }

  /**
   * Zeroed memory of {@code length} bytes, page-aligned.
   *
   * @throws OutOfMemoryError if the kernel has none
   */
  public static NativeBuffer allocate(int length) {
    long address =
        Libc.mmap(
            0,
            length,
            Libc.PROT_READ | Libc.PROT_WRITE,
            Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS,
            -1,
            0);
    if (address == Libc.MAP_FAILED) {
      throw new OutOfMemoryError("mmap of " + length + " bytes: " + Errno.name(Libc.errno()));
    }
    return new NativeBuffer(address, length);
  }

  /**
   * A shared, writable mapping of a file descriptor from its beginning, or null where the kernel
   * refuses it; {@link Libc#errno} then has the reason.
   */
  public static NativeBuffer map(int fd, int length) {
    long address = Libc.mmap(0, length, Libc.PROT_READ | Libc.PROT_WRITE, Libc.MAP_SHARED, fd, 0);
    return address == Libc.MAP_FAILED ? null : new NativeBuffer(address, length);
  }

  /**
   * A shared, writable mapping of a file descriptor twice in a row, so that what runs over its end
   * goes on at its beginning; null where the kernel refuses it. The view is that of both.
   *
   * @param length a multiple of the page size, the length of the file
   */
  public static NativeBuffer mapTwice(int fd, int length) {
    long address =
        Libc.mmap(0, 2L * length, Libc.PROT_NONE, Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS, -1, 0);
    if (address == Libc.MAP_FAILED) {
      return null;
    }
    for (long at = address; at < address + 2L * length; at += length) {
      int protection = Libc.PROT_READ | Libc.PROT_WRITE;
      if (Libc.mmap(at, length, protection, Libc.MAP_SHARED | Libc.MAP_FIXED, fd, 0)
          == Libc.MAP_FAILED) {
        Libc.munmap(address, 2L * length);
        return null;
      }
    }
    return new NativeBuffer(address, 2L * length);
  }

  /**
   * Shared memory without a file that is seen twice in a row as by {@link #mapTwice}; a forked
   * child sees it, too. Null where the kernel refuses it.
   *
   * <p>mremap of 0 bytes of a shared mapping makes another one of the same pages (mremap(2)). The
   * kernel accounts for all of it here, so with vm.overcommit_memory=2 no later touch can fail.
   */
  public static NativeBuffer shareTwice(int length) {
    long address =
        Libc.mmap(0, 2L * length, Libc.PROT_NONE, Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS, -1, 0);
    if (address == Libc.MAP_FAILED) {
      return null;
    }
    int protection = Libc.PROT_READ | Libc.PROT_WRITE;
    int shared = Libc.MAP_SHARED | Libc.MAP_ANONYMOUS | Libc.MAP_FIXED;
    int move = Libc.MREMAP_MAYMOVE | Libc.MREMAP_FIXED;
    if (Libc.mmap(address, length, protection, shared, -1, 0) == Libc.MAP_FAILED
        || Libc.mremap(address, 0, length, move, address + length) == Libc.MAP_FAILED) {
      Libc.munmap(address, 2L * length);
      return null;
    }
    return new NativeBuffer(address, 2L * length);
  }

  /** Memory that was mapped by somebody else, as long as he keeps it. */
  public static NativeBuffer view(long address, long length) {
    return new NativeBuffer(address, length);
  }

  /** Where the memory begins. */
  public long address() {
    return address;
  }

  /** The memory; null after {@link #close}. */
  public ByteBuffer bytes() {
    return bytes;
  }

  @Override
  public void close() {
    if (bytes != null) {
      bytes = null;
      Libc.munmap(address, length);
    }
  }
}
