package stackweave.agent.drain.touch;

import java.nio.ByteBuffer;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;

/**
 * Whether pages of this process still have memory, from /proc/self/pagemap
 * (Documentation/admin-guide/mm/pagemap.rst): the bits that say so need no privilege. For the drain
 * thread.
 */
final class PagePresence implements AutoCloseable {
  private static final String FILE = "/proc/self/pagemap";
  private static final int O_CLOEXEC = 0x80000;
  private static final int ENTRY_BYTES = 8;
  private static final long PRESENT = 1L << 63;
  private static final long SWAPPED = 1L << 62;

  private final int fd = Libc.open(FILE, O_CLOEXEC, 0);
  private final NativeBuffer entry = NativeBuffer.allocate(ENTRY_BYTES);

  /** Whether it can be read at all. */
  boolean isKnown() {
    return fd >= 0;
  }

  /** Whether a page has memory or lies in swap; true if that can't be told. Some 1 µs. */
  boolean isPresent(long page) {
    if (fd < 0 || Libc.pread(fd, entry.address(), ENTRY_BYTES, page * ENTRY_BYTES) != ENTRY_BYTES) {
      return true;
    }
    ByteBuffer bytes = entry.bytes();
    return (bytes.getLong(0) & (PRESENT | SWAPPED)) != 0;
  }

  @Override
  public void close() {
    if (fd >= 0) {
      Libc.close(fd);
    }
    entry.close();
  }
}
