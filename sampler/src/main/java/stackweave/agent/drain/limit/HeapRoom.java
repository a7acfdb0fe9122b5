package stackweave.agent.drain.limit;

/**
 * Whether the Java heap has room for what the agent keeps there: its caches, which take at most a
 * sixteenth of the heap and 64 MiB ({@link stackweave.unwind.HeapShare}). Sampling begins if twice
 * that is free, and ends if less than that is left after collections. The application is not
 * protected if it takes the rest of its heap within a second.
 *
 * <p>Read through {@link Runtime} ({@code CollectedHeap::max_capacity} and {@code used}), for every
 * collector, which loads no class and allocates nothing. For one thread.
 */
public final class HeapRoom {
  /** The heap's figures, all in bytes. */
  public interface Heap {
    /** This JVM's. */
    Heap OF_JVM =
        new Heap() {
          @Override
          public long maxBytes() {
            return Runtime.getRuntime().maxMemory();
          }

          @Override
          public long usedBytes() {
            return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
          }
        };

    /** Its maximum size. */
    long maxBytes();

    /** What is in use, garbage included. */
    long usedBytes();
  }

  private static final long MAX_CACHES_BYTES = 64L << 20;
  private static final int HEAP_SHARE = 16;

  /** How long usage is watched before it is judged. */
  private static final long JUDGED_NANOS = 1_000_000_000L;

  /** Falls of usage needed in that time: the first may be the end of an earlier collection. */
  private static final int JUDGED_FALLS = 2;

  private final Heap heap;
  private final long cachesBytes;

  /** Free bytes when it was last judged. */
  private long left;

  private long since;
  private long last;
  private long lowest;
  private int falls;

  /** For this JVM's heap. */
  public HeapRoom() {
    this(Heap.OF_JVM);
  }

  /** For another heap, in tests. */
  public HeapRoom(Heap heap) {
    this.heap = heap;
    this.cachesBytes = Math.min(MAX_CACHES_BYTES, heap.maxBytes() / HEAP_SHARE);
  }

  /** Whether enough is free to begin, even if nothing in use is garbage. */
  public boolean mayBegin() {
    left = heap.maxBytes() - heap.usedBytes();
    return left >= 2 * cachesBytes;
  }

  /** Begins to watch usage for {@link #mustEnd}. */
  public void begin(long nowNanos) {
    since = nowNanos;
    last = heap.usedBytes();
    lowest = Long.MAX_VALUE;
    falls = 0;
  }

  /**
   * Reads the usage, and judges once a second whether collections have left too little. Usage falls
   * only by a collection, so its minimum in a second with two falls is about what is live. Without
   * falls nothing is known, and sampling goes on.
   *
   * @param nowNanos by {@link System#nanoTime}
   */
  public boolean mustEnd(long nowNanos) {
    long used = heap.usedBytes();
    falls += used < last ? 1 : 0;
    lowest = falls == 0 ? Long.MAX_VALUE : Math.min(lowest, used);
    last = used;
    if (nowNanos - since < JUDGED_NANOS || falls < JUDGED_FALLS) {
      return false;
    }
    left = heap.maxBytes() - lowest;
    begin(nowNanos);
    return left < cachesBytes;
  }

  /** Why sampling does not begin, or has ended, in one line. */
  public String whyNot() {
    return "the heap of "
        + mib(heap.maxBytes())
        + " MiB has "
        + mib(left)
        + " MiB left, and sampling needs "
        + mib(2 * cachesBytes)
        + " to begin and "
        + mib(cachesBytes)
        + " after a collection to go on; a larger -Xmx helps";
  }

  private static long mib(long bytes) {
    return bytes >> 20;
  }
}
