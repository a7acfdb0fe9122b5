package stackweave.engine.timer.threads;

import stackweave.engine.timer.handler.HandlerMemory;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.task.TaskFiles;

/**
 * The limit of timers: each takes a place in the user's signal queue (RLIMIT_SIGPENDING), and at
 * most half of what others leave may be used. Not thread-safe.
 */
public final class SignalQueue implements AutoCloseable {
  private final TaskFiles files;
  private final NativeBuffer limit = NativeBuffer.allocate(16);
  private long budget;

  /**
   * @param files closed by the caller
   */
  public SignalQueue(TaskFiles files) {
    this.files = files;
  }

  /**
   * Reads the queue again.
   *
   * @param tid any thread of this process
   * @param own how many of the queued signals are this engine's timers
   */
  public void measure(int tid, int own) {
    long free = Long.MAX_VALUE;
    if (Libc.getrlimit(Libc.RLIMIT_SIGPENDING, limit.address()) == 0
        && limit.bytes().getLong(0) >= 0) {
      free = Math.max(0, limit.bytes().getLong(0) - files.queuedSignals(tid) + own);
    }
    budget = Math.min(HandlerMemory.BLOCKS, free / 2);
  }

  /** The most timers that may exist. */
  public long budget() {
    return budget;
  }

  @Override
  public void close() {
    limit.close();
  }
}
