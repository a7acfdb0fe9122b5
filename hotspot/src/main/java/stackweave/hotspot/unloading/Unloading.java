package stackweave.hotspot.unloading;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import stackweave.hotspot.runtime.PerfData;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.hotspot.vmstructs.MemoryCopy;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Tells when classes were last unloaded and code was last freed. Since then their memory may hold
 * others, so what is first read afterwards says nothing about samples from before.
 *
 * <p>From the VM's count of unloaded classes ({@code classLoadingService.cpp}), which goes up
 * before they are freed; without performance data (-XX:-UsePerfData) each garbage collection
 * counts. Not thread-safe.
 */
public final class Unloading {
  private static final byte[] COUNTER = "java.cls.unloadedClasses\0".getBytes(ISO_8859_1);

  private final MemoryReader memory;
  private final long collections;
  private final long counter;
  private final long[] addresses = new long[2];
  private final MemoryCopy both = new MemoryCopy(2 * Long.BYTES);
  private long count;
  private long last = Long.MIN_VALUE;
  private int collectionCount;
  private long lastCollection = Long.MIN_VALUE;
  private int epoch = 1;

  public Unloading(Layout layout, MemoryReader memory) {
    this.memory = memory;
    this.collections = collections(layout, memory);
    this.counter = counter(layout, memory);
    readBoth();
    this.count = both.i8(0);
    this.collectionCount = both.i4(Long.BYTES);
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

  /** Looks whether classes were unloaded since the last time. */
  void look() {
    readBoth();
    long now = both.i8(0);
    if (now != count) {
      count = now;
      last = System.nanoTime();
      epoch++;
    }
    int collected = both.i4(Long.BYTES);
    if (collected != collectionCount) {
      collectionCount = collected;
      lastCollection = System.nanoTime();
      epoch++;
    }
  }

  /**
   * The same number as at an earlier {@link #look} says that between the two no class was unloaded
   * and no collection began, so that whatever only those free was there all the time.
   */
  int epoch() {
    return epoch;
  }

  /** Ends the epoch early: what was unchanged in it must be compared again. */
  void doubt() {
    epoch++;
  }

  /** Whether classes may have been unloaded since then, by {@link System#nanoTime}. */
  boolean isSince(long timeNanos) {
    return timeNanos <= last;
  }

  /** Whether compiled code may have been freed since then: garbage collections do that, too. */
  boolean isCodeFreedSince(long timeNanos) {
    return timeNanos <= Math.max(last, lastCollection);
  }

  /** How many garbage collections there were at the last {@link #look}. */
  int collectionsSeen() {
    return collectionCount;
  }

  /** What is counted and the collections, read in one call. */
  private void readBoth() {
    addresses[0] = counter == 0 ? collections : counter;
    addresses[1] = collections;
    try {
      memory.readEach(addresses, 2, Long.BYTES, both.bytes());
    } catch (UnreadableMemoryException e) {
      // Memory that was kept of another process may lack what never changes there.
      Arrays.fill(both.bytes(), (byte) 0);
    }
  }
}
