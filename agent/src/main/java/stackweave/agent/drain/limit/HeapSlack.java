package stackweave.agent.drain.limit;

/**
 * How much of the heap the application leaves free. Garbage is only known after a collection, so
 * usage is sampled repeatedly, and the lowest value since a collection counts. Read through {@link
 * Runtime} ({@code CollectedHeap::max_capacity} and {@code used}), for every collector, which loads
 * no class. For the drain thread only.
 */
public final class HeapSlack {
  /** The heap's figures, all in bytes. */
  interface Heap {
    /** Its maximum size. */
    long maxBytes();

    /** Its present usage, including garbage. */
    long usedBytes();
  }

  /** What else may be short, which ends sampling in the same way. */
  public interface OtherRoom {
    /**
     * Why there is too little, in one line; null if there is enough.
     *
     * @param begins whether sampling is to begin, or to go on
     */
    String whyNot(boolean begins);
  }

  /** Below this maximum size sampling waits for the application's start. */
  static final long SETTLING_BYTES = 224L << 20;

  private static final long MIN_BYTES = 8L << 20;
  private static final long MAX_BYTES = 32L << 20;

  /** If collections can't be counted, this many looks stand for one. */
  private static final int LOOKS = 16;

  private final Heap heap;
  private final OtherRoom other;
  private final long maxBytes;
  private long collection;
  private long looks;
  private int collectionsSeen;
  private long lowest = Long.MAX_VALUE;
  private long lowestBefore = Long.MAX_VALUE;
  private long used;

  /** For this JVM's heap. */
  public HeapSlack() {
    this((OtherRoom) null);
  }

  /** For this JVM's heap, and other room that may be short. */
  public HeapSlack(OtherRoom other) {
    this(
        other,
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

  /** For another source of figures; for tests. */
  public HeapSlack(Heap heap) {
    this(null, heap);
  }

  private HeapSlack(OtherRoom other, Heap heap) {
    this.other = other;
    this.heap = heap;
    this.maxBytes = heap.maxBytes();
  }

  /** Discards all looks: memory that was in use then may be free now. */
  public void begin() {
    collectionsSeen = 0;
    lowest = Long.MAX_VALUE;
    lowestBefore = Long.MAX_VALUE;
  }

  /** Samples the usage if collections can't be counted. */
  public void look() {
    look(looks / LOOKS);
  }

  /**
   * Samples the usage.
   *
   * @param collections how many collections have begun so far, or any number that changes with it
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

  /** Whether to look again soon: usage is high, which may be garbage. */
  public boolean isDoubtful() {
    return maxBytes - used < keepBytes();
  }

  /**
   * Whether two collections in a row have left too little for going on, or on a small heap the last
   * one so much less than the one before that the next will: there may be no time for another look
   * after it. The first that was seen may have been before the first look.
   */
  public boolean isShort() {
    return collectionsSeen > 2 && (bytes() < keepBytes() || willBeShort()) || isOtherShort(false);
  }

  private boolean isOtherShort(boolean begins) {
    return other != null && other.whyNot(begins) != null;
  }

  private boolean willBeShort() {
    return needsSettling() && lostBytes() > 0 && maxBytes - lowest - lostBytes() < keepBytes();
  }

  /** What the application took between the last two collections; negative for what it gave. */
  private long lostBytes() {
    return collectionsSeen > 2 ? lowest - lowestBefore : 0;
  }

  /**
   * Whether two collections were seen since the first look, or as many looks as stand for them, so
   * that the lowest usage is known.
   */
  public boolean isKnown() {
    return collectionsSeen > 2 || isOtherShort(true);
  }

  /** Whether enough is free to start, even if nothing in use is garbage. */
  public boolean isAmple() {
    return maxBytes - used >= startBytes() && !isOtherShort(true);
  }

  /** Whether the heap is so small that the application's start is waited for. */
  public boolean needsSettling() {
    return maxBytes < SETTLING_BYTES;
  }

  /** Bytes left free after the last two collections, the larger of both. */
  long bytes() {
    return maxBytes - Math.min(lowest, lowestBefore);
  }

  /** Bytes that must be free for sampling to continue. */
  long keepBytes() {
    return Math.max(MIN_BYTES, Math.min(MAX_BYTES, maxBytes / 16));
  }

  /** Bytes that must be free for sampling to start. */
  long startBytes() {
    return keepBytes() / 2 * 3;
  }

  /** Why sampling waits, in one line. */
  public String whyNot() {
    if (isOtherShort(true)) {
      return other.whyNot(true);
    }
    return "the heap of "
        + mib(maxBytes)
        + " MiB has "
        + mib(Math.max(0, maxBytes - lowest))
        + " MiB left after the last collection, "
        + (lostBytes() >> 20 > 0 ? mib(lostBytes()) + " less than after the one before, " : "")
        + "and sampling needs "
        + mib(startBytes())
        + " to begin and "
        + mib(keepBytes())
        + " to go on; a larger -Xmx helps";
  }

  private static long mib(long bytes) {
    return bytes >> 20;
  }
}
