package stackweave.hotspot.runtime;

import java.util.Set;
import stackweave.hotspot.memory.LastingMemory;
import stackweave.hotspot.memory.MemoryPages;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Counts the pauses that can free compiled code, of collectors that free it nowhere else: full
 * collections, and those of G1's concurrent cycles. A young collection frees none.
 *
 * <p>The VM counts a pause at its beginning, before it frees anything ({@code TraceCollectorStats}
 * in collectorCounters.cpp). Up to JDK 19, what it has unloaded is freed by the sweeper later, as
 * is other code that has not run for long; no counter shows that. Not thread-safe.
 */
public final class CodeFreeing {
  /** Counters of full collections, by the names that collectors have in performance data. */
  private static final Set<String> IN_PAUSES =
      Set.of(
          "G1 full collection pauses",
          "Parallel full collection pauses",
          "Serial full collection pauses");

  private static final int FULL = 1;
  private static final int CONCURRENT = 2;

  private final MemoryReader memory;
  private final long full;

  /** 0 for collectors without concurrent cycles. */
  private final long concurrent;

  private CodeFreeing(MemoryReader memory, long full, long concurrent) {
    this.memory = memory;
    this.full = full;
    this.concurrent = concurrent;
  }

  /** Null where the VM does not count: without performance data, or with another collector. */
  public static CodeFreeing find(Layout layout, LastingMemory memory) {
    try {
      long name = counter(FULL, "name", layout, memory);
      long full = counter(FULL, "invocations", layout, memory);
      if (name == 0 || full == 0 || !IN_PAUSES.contains(new MemoryPages(memory).string(name))) {
        return null;
      }
      long concurrent = counter(CONCURRENT, "invocations", layout, memory);
      memory.addWord(full);
      if (concurrent != 0) {
        memory.addWord(concurrent);
      }
      return new CodeFreeing(memory, full, concurrent);
    } catch (UnreadableMemoryException e) {
      return null;
    }
  }

  private static long counter(int collector, String what, Layout layout, MemoryReader memory)
      throws UnreadableMemoryException {
    return PerfData.find("sun.gc.collector." + collector + "." + what, layout, memory);
  }

  /** How many such pauses have begun. */
  public long begun() {
    try {
      return memory.readLong(full) + (concurrent == 0 ? 0 : memory.readLong(concurrent));
    } catch (UnreadableMemoryException e) {
      return System.nanoTime(); // recorded memory may lack it: each look counts as a pause
    }
  }
}
