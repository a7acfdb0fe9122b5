package stackweave.engine.timer.stack;

import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;

/**
 * Finds descriptors by get_robust_list(2): the head of a thread's list of robust mutexes, which the
 * C library registers with the kernel, is a part of its descriptor. Not thread-safe.
 */
final class RobustLists implements DescriptorFinder {
  private final SystemCalls calls;
  private final NativeBuffer words = NativeBuffer.allocate(16);

  RobustLists(SystemCalls calls) {
    this.calls = calls;
  }

  @Override
  public void find(int[] tids, int count, long[] addresses) {
    long at = words.address();
    for (int i = 0; i < count; i++) {
      boolean told = calls.getRobustList(tids[i], at, at + Long.BYTES) >= 0;
      addresses[i] = told ? words.bytes().getLong(0) : 0;
    }
  }

  /** {@code pid_t tid, pid_t, void *robust_prev}, the head (nptl/descr.h). */
  @Override
  public int tidOffset() {
    return -16;
  }

  @Override
  public StackWords stackWords() {
    return StackWords.GLIBC;
  }

  @Override
  public void close() {
    words.close();
  }
}
