package stackweave.hotspot.unloading;

import stackweave.hotspot.memory.LastingMemory;
import stackweave.hotspot.runtime.CodeFreeing;
import stackweave.hotspot.runtime.PerfData;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Tells when classes were last unloaded and code was last freed. Since then their memory may hold
 * others, so what is first read afterwards says nothing about samples from before.
 *
 * <p>Source: the VM's count of unloaded classes ({@code classLoadingService.cpp}), which goes up
 * before they are freed. Without performance data (-XX:-UsePerfData) each garbage collection counts
 * instead; some collectors unload long before or after that, so nothing is trusted then ({@link
 * #isTold}). Not thread-safe.
 */
public final class Unloading {
  private static final String COUNTER = "java.cls.unloadedClasses";

  /** So long after an unloading the next one is expected, in ns. */
  private static final long EXPECTED_NANOS = 5_000_000_000L;

  private final MemoryReader memory;
  private final long collections;
  private final long counter;
  private long count;
  private long last = Long.MIN_VALUE;

  private int collectionCount;
  private long lastCollection = Long.MIN_VALUE;
  private long lastFreeing = Long.MIN_VALUE;
  private int epoch = 1;

  /** Null where each collection may free code. */
  private final CodeFreeing freeing;

  private long freeingCount;

  /** {@link stackweave.hotspot.vmstructs.JdkVersion#marksCodeThatRuns}. */
  private final boolean marksCodeThatRuns;

  /**
   * @param memory gets the words of the count of collections, whose object is never freed
   *     (universe.cpp), and of performance data, which stay mapped (perfMemory_posix.cpp)
   * @param freeing null where each collection may free code
   */
  public Unloading(Layout layout, LastingMemory memory, CodeFreeing freeing) {
    this.memory = memory;
    this.collections = collections(layout, memory);
    this.counter = counter(layout, memory);
    if (collections != 0) {
      memory.addWord(collections);
    }
    if (counter != 0) {
      memory.addWord(counter);
    }
    this.collectionCount = (int) read(collections);
    this.count = unloaded();
    this.marksCodeThatRuns = layout.version.marksCodeThatRuns();
    this.freeing = freeing;
    this.freeingCount = freeing == null ? 0 : freeing.begun();
  }

  private static long collections(Layout layout, MemoryReader memory) {
    try {
      return memory.readLong(layout.collectedHeap.offset()) + layout.totalCollections.offset();
    } catch (UnreadableMemoryException e) {
      return 0;
    }
  }

  /** The address of the counter, or 0 if there is none. */
  private static long counter(Layout layout, MemoryReader memory) {
    try {
      return PerfData.find(COUNTER, layout, memory);
    } catch (UnreadableMemoryException e) {
      return 0;
    }
  }

  /** Says that all unloading so far may be younger than samples that are to be decoded. */
  public void openedAfterSamples() {
    long now = System.nanoTime();
    if (count != 0) {
      last = now;
    }
    if (collectionCount != 0) {
      lastCollection = now;
    }
    if (freeingCount != 0) {
      lastFreeing = now;
    }
  }

  /** Looks whether classes were unloaded since the last time. */
  void look() {
    // The collections first: what one unloads is counted after it.
    int collected = (int) read(collections);
    if (collected != collectionCount) {
      collectionCount = collected;
      lastCollection = System.nanoTime();
    }
    long freed = freeing == null ? 0 : freeing.begun();
    if (freed != freeingCount) {
      freeingCount = freed;
      lastFreeing = System.nanoTime();
    }
    long now = unloaded();
    if (now != count) {
      count = now;
      last = System.nanoTime();
      epoch++;
    }
  }

  /** The count of unloaded classes, or, where the VM has none, of collections. */
  private long unloaded() {
    return counter == 0 ? collectionCount : read(counter);
  }

  /**
   * The same number as at an earlier {@link #look} says that between the two no class was unloaded,
   * so that whatever only that frees was there all the time.
   */
  int epoch() {
    return epoch;
  }

  /** Whether each unloading is counted, so that epochs can be trusted. */
  boolean isTold() {
    return counter != 0;
  }

  /** Ends the epoch early: what was unchanged in it must be compared again. */
  void doubt() {
    epoch++;
  }

  /** Whether classes may have been unloaded since then, by {@link System#nanoTime}. */
  boolean isSince(long timeNanos) {
    return timeNanos <= last;
  }

  /** Whether no class was unloaded at that time or later, by {@link System#nanoTime}. */
  boolean isSettledAt(long timeNanos) {
    return last == Long.MIN_VALUE || timeNanos > last;
  }

  /**
   * Whether compiled code that ran then may have been freed since: garbage collections do that,
   * too. Where code marks itself when it is entered ({@code nmethod::is_maybe_on_stack} in
   * nmethod.cpp), a concurrent cycle keeps what runs after its beginning, which is counted as a
   * collection.
   */
  boolean isCodeFreedSince(long timeNanos) {
    return timeNanos <= Math.max(last, lastFreeing());
  }

  private long lastFreeing() {
    if (freeing == null) {
      return lastCollection;
    }
    return marksCodeThatRuns ? Math.min(lastFreeing, lastCollection) : lastFreeing;
  }

  /** Whether another unloading is likely soon, as it is after one. */
  boolean isExpected() {
    return last != Long.MIN_VALUE && System.nanoTime() - last < EXPECTED_NANOS;
  }

  /** How many garbage collections there were at the last {@link #look}. */
  int collectionsSeen() {
    return collectionCount;
  }

  /** The word at an address; 0 where recorded memory lacks it, for it does not change there. */
  private long read(long address) {
    if (address == 0) {
      return 0;
    }
    try {
      return memory.readLong(address);
    } catch (UnreadableMemoryException e) {
      return 0;
    }
  }
}
