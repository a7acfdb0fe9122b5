package stackweave.engine.perf.event;

import java.nio.ByteBuffer;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;

/**
 * An event as perf_event_open takes it (struct perf_event_attr, include/uapi/linux/perf_event.h).
 * Made by {@link KernelEvents}; must stay open until the last event is opened.
 *
 * @param type the PMU
 * @param config which of its events
 * @param path for a uprobe the library's path, to which config1 points; otherwise null
 * @param offset for a uprobe its offset in the file, config2; otherwise 0
 * @param inUserMode whether it happens in user mode, too, so that it can be sampled there alone
 */
public record KernelEvent(int type, long config, NativeBuffer path, long offset, boolean inUserMode)
    implements AutoCloseable {
  private static final int ATTR_BYTES = 112;
  private static final int FLAG_FD_CLOEXEC = 8;
  private static final int TYPE = 0;
  private static final int SIZE = 4;
  private static final int CONFIG = 8;
  private static final int CONFIG1 = 56;
  private static final int CONFIG2 = 64;

  static KernelEvent of(int type, long config, boolean inUserMode) {
    return new KernelEvent(type, config, null, 0, inUserMode);
  }

  /** Sets type and configuration of an event. */
  public void writeTo(ByteBuffer attr) {
    attr.putInt(TYPE, type);
    attr.putLong(CONFIG, config);
    attr.putLong(CONFIG1, path == null ? 0 : path.address());
    attr.putLong(CONFIG2, offset);
  }

  /**
   * Opens it for a thread, where it is counted from then on, and not sampled.
   *
   * @return a descriptor, or the negative number of the error
   */
  public int openCounting(SystemCalls calls, int tid) {
    try (NativeBuffer attr = NativeBuffer.allocate(ATTR_BYTES)) {
      writeTo(attr.bytes());
      attr.bytes().putInt(SIZE, ATTR_BYTES);
      int fd = calls.perfEventOpen(attr.address(), tid, -1, -1, FLAG_FD_CLOEXEC);
      return fd < 0 ? -Libc.errno() : fd;
    }
  }

  @Override
  public void close() {
    if (path != null) {
      path.close();
    }
  }
}
