package stackweave.agent.engine.perf.event;

import java.nio.ByteBuffer;
import stackweave.agent.linux.NativeBuffer;

/**
 * An event as perf_event_open takes it (struct perf_event_attr, include/uapi/linux/perf_event.h).
 * Made by {@link KernelEvents}; must stay open until the last event is opened.
 *
 * @param type the PMU
 * @param config which of its events
 * @param path of a uprobe the library's path, which config1 points to; otherwise null
 * @param offset of a uprobe its place in the file, config2; otherwise 0
 * @param inUserMode whether it happens in user mode, too, so that it can be sampled there alone
 */
public record KernelEvent(int type, long config, NativeBuffer path, long offset, boolean inUserMode)
    implements AutoCloseable {
  private static final int TYPE = 0;
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

  @Override
  public void close() {
    if (path != null) {
      path.close();
    }
  }
}
