package stackweave.linux;

import com.sun.jna.Pointer;
import java.nio.ByteBuffer;

/**
 * Memory for system calls: its address, and a view of it in native byte order. It has its own
 * mapping and is not a direct buffer, so that neither the application's -XX:MaxDirectMemorySize nor
 * a cleaner thread is involved. Must be closed; the view must not be used afterwards. Not
 * thread-safe.
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
   * A shared, writable mapping of a file descriptor from its beginning; null if the kernel refuses,
   * with the reason in {@link Libc#errno}.
   */
  public static NativeBuffer map(int fd, int length) {
    long address = Libc.mmap(0, length, Libc.PROT_READ | Libc.PROT_WRITE, Libc.MAP_SHARED, fd, 0);
    if (address == Libc.MAP_FAILED) {
      return null;
    }
    NativeBuffer buffer = null;
    try {
      buffer = new NativeBuffer(address, length);
    } finally {
      if (buffer == null) {
        Libc.munmap(address, length); // the heap is full
      }
    }
    return buffer;
  }

  /**
   * Zeroed memory mapped twice in a row, so that an access beyond its end continues at its
   * beginning; the view covers both. All pages are present on return, so that a later write can't
   * fail; a forked child doesn't inherit it. Null if the kernel refuses, with the reason in {@link
   * Libc#errno}.
   *
   * <p>Shared anonymous memory is charged as a whole when mapped (shmem_zero_setup in mm/shmem.c),
   * while a memory file's pages are charged at first touch, with SIGBUS on failure. mremap with an
   * old size of 0 makes a second view of shared memory.
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
      Libc.munmap(address, 2L * length); // which keeps errno, as it succeeds
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

  /** A path as a null-terminated ASCII string. */
  public static NativeBuffer path(String ascii) {
    NativeBuffer buffer = allocate(ascii.length() + 1);
    for (int i = 0; i < ascii.length(); i++) {
      buffer.bytes.put(i, (byte) ascii.charAt(i));
    }
    return buffer;
  }

  /** A view of memory mapped by others, valid while they keep it. */
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
