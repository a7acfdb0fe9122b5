package stackweave.agent.engine.timer.mask;

import stackweave.agent.engine.timer.handler.HandlerMemory;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;

/**
 * The limit of timers: each takes a place in the user's signal queue (RLIMIT_SIGPENDING), and at
 * most half of what others leave may be used. Not thread-safe.
 */
public final class SignalQueue implements AutoCloseable {
  private static final int STATUS_BYTES = 8192;
  private static final byte[] LINE = {'S', 'i', 'g', 'Q', ':'};

  private final NativeBuffer limit = NativeBuffer.allocate(16);
  private final NativeBuffer file = NativeBuffer.path("/proc/self/status");
  private final NativeBuffer status = NativeBuffer.allocate(STATUS_BYTES);
  private long budget;

  /**
   * Reads the queue again.
   *
   * @param own how many of the queued signals are this engine's timers
   */
  public void measure(int own) {
    long free = Long.MAX_VALUE;
    if (Libc.getrlimit(Libc.RLIMIT_SIGPENDING, limit.address()) == 0
        && limit.bytes().getLong(0) >= 0) {
      free = Math.max(0, limit.bytes().getLong(0) - queued() + own);
    }
    budget = Math.min(HandlerMemory.BLOCKS, free / 2);
  }

  /** The most timers that may exist. */
  public long budget() {
    return budget;
  }

  /** {@code SigQ: queued/limit}; all processes of the user count. */
  private long queued() {
    int fd = Libc.openat(Libc.AT_FDCWD, file.address(), Libc.O_RDONLY | Libc.O_CLOEXEC, 0);
    int length = fd < 0 ? 0 : (int) Libc.read(fd, status.address(), STATUS_BYTES);
    if (fd >= 0) {
      Libc.close(fd);
    }
    int at = 0;
    while (at + LINE.length < length && !isLine(at)) {
      at++;
    }
    long value = 0;
    for (at += LINE.length; at < length && status.bytes().get(at) != '/'; at++) {
      int digit = Character.digit(status.bytes().get(at), 10);
      value = digit < 0 ? value : 10 * value + digit;
    }
    return value;
  }

  private boolean isLine(int at) {
    for (int i = 0; i < LINE.length; i++) {
      if (status.bytes().get(at + i) != LINE[i]) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() {
    limit.close();
    status.close();
    file.close();
  }
}
