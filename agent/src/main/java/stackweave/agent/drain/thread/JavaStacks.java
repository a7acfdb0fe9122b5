package stackweave.agent.drain.thread;

import stackweave.agent.engine.ThreadStacks;
import stackweave.hotspot.runtime.JavaThreads;

/**
 * The stacks of Java threads as the VM has them. Of a few new threads, only as many of the VM's
 * list are looked at as were started lately. For the drain thread only.
 */
public final class JavaStacks implements ThreadStacks {
  /** Threads that may have been started after those asked for. */
  private static final int LATER = 16;

  /** From here on the whole list is looked through. */
  private static final int MANY = 64;

  private final JavaThreads threads;

  public JavaStacks(JavaThreads threads) {
    this.threads = threads;
  }

  @Override
  public void find(int[] tids, int count, long[] starts, long[] ends) {
    threads.newest(
        count < MANY ? count + LATER : Integer.MAX_VALUE,
        (tid, start, end) -> {
          for (int i = 0; i < count; i++) {
            if (tids[i] == tid) {
              starts[i] = start;
              ends[i] = end;
            }
          }
        });
  }
}
