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
  private static final int MIN_PAGE = 4096;

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
   * Zeroed memory that is seen twice in a row, so that what runs over its end goes on at its
   * beginning; the view is that of both. All its pages are there when this returns: whoever writes
   * to it later never meets a kernel that has none left. Null where the kernel refuses it; {@link
   * Libc#errno} then has the reason.
   *
   * <p>Shared anonymous memory is charged as a whole when it is mapped (mm/shmem.c,
   * shmem_zero_setup), other than a memory file's, whose pages are charged one by one at their
   * first touch, which ends in SIGBUS where they aren't granted. Of shared memory, mremap with an
   * old size of 0 makes a second view. A forked child gets neither.
   *
   * @param length a multiple of the page size
   */
  public static NativeBuffer allocateTwice(int length) {
    long address =
        Libc.mmap(0, 2L * length, Libc.PROT_NONE, Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS, -1, 0);
    if (address == Libc.MAP_FAILED) {
      return null;
    }
    boolean mapped =
        Libc.mmap(
                    address,
                    length,
                    Libc.PROT_READ | Libc.PROT_WRITE,
                    Libc.MAP_SHARED | Libc.MAP_ANONYMOUS | Libc.MAP_FIXED,
                    -1,
                    0)
                == address
            && Libc.mremap(
                    address, 0, length, Libc.MREMAP_MAYMOVE | Libc.MREMAP_FIXED, address + length)
                == address + length
            && Libc.madvise(address, 2L * length, Libc.MADV_DONTFORK) == 0;
    if (!mapped) {
      Libc.munmap(address, 2L * length); // which leaves errno alone, as it succeeds
      return null;
    }
    NativeBuffer buffer = new NativeBuffer(address, 2L * length);
    if (Libc.madvise(address, 2L * length, Libc.MADV_POPULATE_WRITE) < 0) {
      if (Libc.errno() != Errno.EINVAL) {
        Libc.munmap(address, 2L * length);
        return null;
      }
      buffer.touch(); // before Linux 5.14
    }
    return buffer;
  }

  private void touch() {
    for (long at = 0; at < length; at += MIN_PAGE) {
      bytes.put((int) at, (byte) 0);
    }
  }

  /** A path as the kernel takes it: ASCII, and a 0 behind it. */
  public static NativeBuffer path(String ascii) {
    NativeBuffer buffer = allocate(ascii.length() + 1);
    for (int i = 0; i < ascii.length(); i++) {
      buffer.bytes.put(i, (byte) ascii.charAt(i));
    }
    return buffer;
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
