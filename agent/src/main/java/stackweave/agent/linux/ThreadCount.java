package stackweave.agent.linux;

import java.nio.charset.StandardCharsets;
import stackweave.unwind.Architecture;

/**
 * How many threads this process has, asked in 2 µs however many they are: the directory
 * /proc/self/task has two links, and one for each thread (fs/proc/base.c, proc_task_getattr). Needs
 * no file descriptor. Not thread-safe.
 */
public final class ThreadCount implements AutoCloseable {
  private static final String PATH = "/proc/self/task";
  private static final int STAT_BYTES = 256;

  /** Of the links of a directory without subdirectories. */
  private static final int OWN_LINKS = 2;

  private final SystemCalls calls;
  private final NativeBuffer path = NativeBuffer.allocate(PATH.length() + 1);
  private final NativeBuffer stat = NativeBuffer.allocate(STAT_BYTES);

  public ThreadCount(SystemCalls calls) {
    this.calls = calls;
    path.bytes().put(0, PATH.getBytes(StandardCharsets.US_ASCII));
    path.bytes().put(PATH.length(), (byte) 0);
  }

  /** Threads at the moment, at least 1; −1 where /proc is not mounted. */
  public int read() {
    if (calls.newfstatat(path.address(), stat.address()) < 0) {
      return -1;
    }
    // struct stat of the kernel: device, inode, and then links, which are 64 bits on x86-64 only.
    long links =
        calls.architecture() == Architecture.X86_64
            ? stat.bytes().getLong(16)
            : stat.bytes().getInt(20);
    return (int) Math.max(1, links - OWN_LINKS);
  }

  @Override
  public void close() {
    path.close();
    stat.close();
  }
}
