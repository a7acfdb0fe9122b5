package stackweave.engine.timer.threads;

import java.nio.ByteBuffer;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;

/**
 * Reads the last process or thread id assigned in this pid namespace, the last field of
 * /proc/loadavg: while it does not change, no thread was started. Costs about 1.5 µs. Not
 * thread-safe.
 */
public final class LastPid implements AutoCloseable {
  private static final int LINE = 128;

  private final int fd;
  private final NativeBuffer buffer = NativeBuffer.allocate(LINE);

  /** Opens /proc/loadavg; if that fails, {@link #read} returns −1. */
  public LastPid() {
    fd = Libc.open("/proc/loadavg", Libc.O_RDONLY | Libc.O_CLOEXEC, 0);
  }

  /** The id, or −1 if it can't be read. */
  public int read() {
    if (fd < 0) {
      return -1;
    }
    int length = (int) Libc.pread(fd, buffer.address(), LINE, 0);
    ByteBuffer bytes = buffer.bytes();
    int value = -1;
    for (int i = 0; i < length; i++) {
      byte c = bytes.get(i);
      if (c == ' ') {
        value = 0;
      } else if (value >= 0 && c >= '0' && c <= '9') {
        value = 10 * value + c - '0';
      }
    }
    return value;
  }

  @Override
  public void close() {
    if (fd >= 0) {
      Libc.close(fd);
    }
    buffer.close();
  }
}
