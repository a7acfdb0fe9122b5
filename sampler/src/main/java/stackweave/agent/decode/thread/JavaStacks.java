package stackweave.agent.decode.thread;

import java.util.List;
import stackweave.engine.ThreadStack;
import stackweave.engine.ThreadStacks;
import stackweave.hotspot.runtime.JavaThreads;

/**
 * Stack bounds of Java threads, from the VM's thread list. For a few new threads, only the end of
 * the list is read, where threads started lately are. For the drain thread only.
 */
public final class JavaStacks implements ThreadStacks {
  /** Threads that may have started after those asked for. */
  private static final int LATER = 16;

  /** From this number on the whole list is read. */
  private static final int MANY = 64;

  private final JavaThreads threads;

  /**
   * @param threads the VM's thread list
   */
  public JavaStacks(JavaThreads threads) {
    this.threads = threads;
  }

  @Override
  public void find(List<ThreadStack> asked) {
    threads.newest(
        asked.size() < MANY ? asked.size() + LATER : Integer.MAX_VALUE,
        (tid, start, end) -> {
          for (ThreadStack thread : asked) {
            if (thread.tid() == tid) {
              thread.set(start, end);
            }
          }
        });
  }
}
