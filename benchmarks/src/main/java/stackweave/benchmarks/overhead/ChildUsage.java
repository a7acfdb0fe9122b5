package stackweave.benchmarks.overhead;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import stackweave.agent.linux.NativeBuffer;

/** What ended child processes have used: getrusage(2). Not thread-safe. */
final class ChildUsage implements AutoCloseable {
  private static final int RUSAGE_CHILDREN = -1;

  /** Of struct rusage, with room to spare. */
  private static final int BYTES = 256;

  static {
    try (NativeLibrary process = NativeLibrary.getProcess()) {
      Native.register(ChildUsage.class, process);
    }
  }

  private final NativeBuffer usage = NativeBuffer.allocate(BYTES);

  private static native int getrusage(int who, long usage);

  /** CPU time, user and system, of all children that were waited for, in nanoseconds. */
  long cpuNanos() {
    if (getrusage(RUSAGE_CHILDREN, usage.address()) != 0) {
      throw new IllegalStateException("getrusage failed");
    }
    return seconds(0) + seconds(2 * Long.BYTES);
  }

  private long seconds(int timeval) {
    return usage.bytes().getLong(timeval) * 1_000_000_000L
        + usage.bytes().getLong(timeval + Long.BYTES) * 1_000L;
  }

  @Override
  public void close() {
    usage.close();
  }
}
