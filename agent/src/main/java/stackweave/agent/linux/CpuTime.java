package stackweave.agent.linux;

/**
 * CPU time as the kernel accounts it, in nanoseconds. Not thread-safe: one per thread that asks.
 */
public final class CpuTime implements AutoCloseable {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final NativeBuffer timespec = NativeBuffer.allocate(2 * Long.BYTES);

  /** CPU time of the calling thread since it began, in ns. */
  public long ofThread() {
    return read(Libc.CLOCK_THREAD_CPUTIME_ID);
  }

  /** CPU time of all threads of the process, including those that have ended, in ns. */
  public long ofProcess() {
    return read(Libc.CLOCK_PROCESS_CPUTIME_ID);
  }

  private long read(int clock) {
    Libc.clock_gettime(clock, timespec.address());
    return timespec.bytes().getLong(0) * NANOS_PER_SECOND + timespec.bytes().getLong(Long.BYTES);
  }

  @Override
  public void close() {
    timespec.close();
  }
}
