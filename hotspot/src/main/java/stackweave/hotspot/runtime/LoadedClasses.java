package stackweave.hotspot.runtime;

import java.util.List;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Tells how many classes the VM has, from its performance data ({@code classLoadingService.cpp}).
 * Visits no class and takes no lock of the VM. Not thread-safe.
 */
public final class LoadedClasses {
  /** What {@link #count} says where the VM does not count (-XX:-UsePerfData). */
  public static final long UNKNOWN = -1;

  private static final List<String> ADDED =
      List.of("java.cls.loadedClasses", "java.cls.sharedLoadedClasses");
  private static final List<String> TAKEN =
      List.of("java.cls.unloadedClasses", "java.cls.sharedUnloadedClasses");

  private final Layout layout;
  private final MemoryReader memory;

  public LoadedClasses(Layout layout, MemoryReader memory) {
    this.layout = layout;
    this.memory = memory;
  }

  /** The classes that are loaded now, or {@link #UNKNOWN}. Some 50 µs. */
  public long count() {
    try {
      long added = sum(ADDED);
      return added == 0 ? UNKNOWN : added - sum(TAKEN);
    } catch (UnreadableMemoryException e) {
      return UNKNOWN;
    }
  }

  private long sum(List<String> names) throws UnreadableMemoryException {
    long sum = 0;
    for (String name : names) {
      long counter = PerfData.find(name, layout, memory);
      sum += counter == 0 ? 0 : memory.readLong(counter);
    }
    return sum;
  }
}
