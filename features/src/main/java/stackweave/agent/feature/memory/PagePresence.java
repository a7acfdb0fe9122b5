package stackweave.agent.feature.memory;

import java.nio.ByteBuffer;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;

/**
 * Whether pages of this process have memory, and whether it is a file's, from /proc/self/pagemap
 * (Documentation/admin-guide/mm/pagemap.rst): the bits that say so need no privilege. For the drain
 * thread.
 */
final class PagePresence implements AutoCloseable {
  private static final String FILE = "/proc/self/pagemap";
  private static final int O_CLOEXEC = 0x80000;
  private static final int ENTRY_BYTES = 8;
  private static final long PRESENT = 1L << 63;
  private static final long SWAPPED = 1L << 62;
  private static final long OF_FILE = 1L << 61;

  /** What a page has. */
  enum Page {
    /** Memory, or a place in swap, of this process alone. */
    PRIVATE,
    /** A page of a file, or of shared memory: a heap that some collectors have in a file. */
    OF_FILE,
    ABSENT,
    UNKNOWN
  }

  private final int fd = Libc.open(FILE, O_CLOEXEC, 0);
  private final NativeBuffer entry = NativeBuffer.allocate(ENTRY_BYTES);

  /** Whether it can be read at all. */
  boolean isKnown() {
    return fd >= 0;
  }

  /** Whether a page has memory or lies in swap; true if that can't be told. Some 1 µs. */
  boolean isPresent(long page) {
    return of(page) != Page.ABSENT;
  }

  /** What a page has now. Some 1 µs. */
  Page of(long page) {
    if (fd < 0 || Libc.pread(fd, entry.address(), ENTRY_BYTES, page * ENTRY_BYTES) != ENTRY_BYTES) {
      return Page.UNKNOWN;
    }
    ByteBuffer bytes = entry.bytes();
    long flags = bytes.getLong(0);
    if ((flags & (PRESENT | SWAPPED)) == 0) {
      return Page.ABSENT;
    }
    return (flags & OF_FILE) == 0 ? Page.PRIVATE : Page.OF_FILE;
  }

  @Override
  public void close() {
    if (fd >= 0) {
      Libc.close(fd);
    }
    entry.close();
  }
}
