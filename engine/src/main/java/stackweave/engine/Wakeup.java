package stackweave.engine;

import java.util.concurrent.atomic.AtomicInteger;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;

/**
 * An eventfd by which other threads end the drain thread's poll.
 *
 * <p>Callers are application threads that start or stop a recording, so they must never wait: the
 * last user closes the descriptor, and a call after {@link #close} does nothing. Thread-safe.
 */
public final class Wakeup implements AutoCloseable {
  private final int fd;
  private final NativeBuffer one;

  /** Threads inside {@link #signal}, plus 1 until closed; 0 means the descriptor is gone. */
  private final AtomicInteger users = new AtomicInteger(1);

  private Wakeup(int fd) {
    this.fd = fd;
    this.one = NativeBuffer.allocate(2 * Long.BYTES);
    one.bytes().putLong(0, 1);
  }

  /** Opens one; null if no descriptor is left, with the reason in Libc.errno(). */
  public static Wakeup open() {
    int fd = Libc.eventfd(0, Libc.O_CLOEXEC | Libc.O_NONBLOCK);
    return fd < 0 ? null : new Wakeup(fd);
  }

  /** The descriptor, to be polled. */
  public int fd() {
    return fd;
  }

  /** Makes {@link #fd} readable. Any thread. */
  public void signal() {
    int now;
    do {
      now = users.get();
      if (now == 0) {
        return;
      }
    } while (!users.compareAndSet(now, now + 1));
    Libc.write(fd, one.address(), Long.BYTES);
    leave();
  }

  /** Makes {@link #fd} unreadable again. For the drain thread. */
  public void reset() {
    Libc.read(fd, one.address() + Long.BYTES, Long.BYTES);
  }

  @Override
  public void close() {
    leave();
  }

  private void leave() {
    if (users.decrementAndGet() == 0) {
      Libc.close(fd);
      one.close();
    }
  }
}
