package stackweave.hotspot.runtime;

import stackweave.hotspot.memory.LastingMemory;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Counts the Java threads that the VM has started ({@code ThreadService::add_thread} in
 * threadService.cpp), by a word that is read without a system call. Not thread-safe.
 */
public final class StartedThreadCount {
  private static final String COUNTER = "java.threads.started";

  private final MemoryReader memory;
  private final long counter;

  private StartedThreadCount(MemoryReader memory, long counter) {
    this.memory = memory;
    this.counter = counter;
  }

  /** Null where the VM does not count them, as without performance data (-XX:-UsePerfData). */
  public static StartedThreadCount find(Layout layout, LastingMemory memory) {
    try {
      long counter = PerfData.find(COUNTER, layout, memory);
      if (counter == 0) {
        return null;
      }
      memory.addWord(counter);
      return new StartedThreadCount(memory, counter);
    } catch (UnreadableMemoryException e) {
      return null;
    }
  }

  /** How many have been started since the VM began, also those that have ended. */
  public long count() throws UnreadableMemoryException {
    return memory.readLong(counter);
  }
}
