package stackweave.agent.drain.limit;

/**
 * What the application leaves free of the heap, as far as that can be told from outside of the
 * collector: of what is used now, only a collection tells what is garbage. So it is looked at again
 * and again, and what was used least since a collection counts.
 *
 * <p>Read through {@link Runtime}, that is {@code CollectedHeap::max_capacity} and {@code used},
 * for every collector: no class is loaded for it. For the drain thread only.
 */
public final class HeapSlack {
  /** The heap's figures, all in bytes. */
  interface Heap {
    /** The most that it may become. */
    long maxBytes();

    /** What is in use now, garbage included. */
    long usedBytes();
  }

  /** Below that much heap sampling waits, so that it does not begin before the application has. */
  static final long SETTLING_BYTES = 224L << 20;

  private static final long MIN_BYTES = 8L << 20;
  private static final long MAX_BYTES = 32L << 20;

  /** Where collections can't be counted, so many looks stand for one. */
  private static final int LOOKS = 16;

  private final Heap heap;
  private final long maxBytes;
  private long collection;
  private long looks;
  private int collectionsSeen;
  private long lowest = Long.MAX_VALUE;
  private long lowestBefore = Long.MAX_VALUE;
  private long used;

  /** Of this JVM's heap. */
  public HeapSlack() {
    this(
        new Heap() {
          @Override
          public long maxBytes() {
            return Runtime.getRuntime().maxMemory();
          }

          @Override
          public long usedBytes() {
            Runtime runtime = Runtime.getRuntime();
            return runtime.totalMemory() - runtime.freeMemory();
          }
        });
  }

  public HeapSlack(Heap heap) {
    this.heap = heap;
    this.maxBytes = heap.maxBytes();
  }

  /** Forgets all looks: what was held of the heap meanwhile is free now. */
  public void begin() {
    collectionsSeen = 0;
    lowest = Long.MAX_VALUE;
    lowestBefore = Long.MAX_VALUE;
  }

  /** Looks, where collections can't be counted. */
  public void look() {
    look(looks / LOOKS);
  }

  /**
   * Looks.
   *
   * @param collections how many have begun so far, or any number that changes with it
   */
  public void look(long collections) {
    looks++;
    used = heap.usedBytes();
    if (collectionsSeen == 0 || collections != collection) {
      collection = collections;
      collectionsSeen++;
      lowestBefore = lowest;
      lowest = used;
    } else {
      lowest = Math.min(lowest, used);
    }
  }

  /** Whether the next look is due soon: there may be garbage, or not enough left. */
  public boolean isDoubtful() {
    return maxBytes - used < keepBytes();
  }

  /**
   * Whether two collections in a row have left too little for going on. The first that was seen may
   * have been before the first look.
   */
  public boolean isShort() {
    return collectionsSeen > 2 && bytes() < keepBytes();
  }

  /** Whether it was looked at for so long that there was a collection, or hardly any garbage. */
  public boolean isKnown() {
    return collectionsSeen > 2;
  }

  /** Whether enough is free to begin, even if nothing of what is used is garbage. */
  public boolean isAmple() {
    return maxBytes - used >= startBytes();
  }

  /** Whether the heap is so small that the application is let begin first. */
  public boolean needsSettling() {
    return maxBytes < SETTLING_BYTES;
  }

  /** What the last two collections have left, the larger one of both, in bytes. */
  long bytes() {
    return maxBytes - Math.min(lowest, lowestBefore);
  }

  /** What has to be free so that sampling may go on. */
  long keepBytes() {
    return Math.max(MIN_BYTES, Math.min(MAX_BYTES, maxBytes / 16));
  }

  /** What has to be free so that sampling may begin. */
  long startBytes() {
    return keepBytes() / 2 * 3;
  }

  /** One line on what is there and what is needed. */
  public String whyNot() {
    return "the heap of "
        + mib(maxBytes)
        + " MiB has "
        + mib(Math.max(0, maxBytes - lowest))
        + " MiB left after the last collection, and sampling needs "
        + mib(startBytes())
        + " to begin and "
        + mib(keepBytes())
        + " to go on; a larger -Xmx helps";
  }

  private static long mib(long bytes) {
    return bytes >> 20;
  }
}
