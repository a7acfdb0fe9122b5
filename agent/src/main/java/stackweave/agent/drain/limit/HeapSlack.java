package stackweave.agent.drain.limit;

/**
 * How much of the heap the application leaves free. Garbage is only known after a collection, so
 * usage is sampled repeatedly, and the lowest value since a collection counts. Read through {@link
 * Runtime} ({@code CollectedHeap::max_capacity} and {@code used}), for every collector, which loads
 * no class. For the drain thread only.
 */
public final class HeapSlack {
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
          public long committedBytes() {
            return Runtime.getRuntime().totalMemory();
          }

          @Override
          public long freeBytes() {
            return Runtime.getRuntime().freeMemory();
          }
        };

    /** Its maximum size. */
    long maxBytes();

    /** What it may use by now; the JVM makes that larger up to the maximum, or does not. */
    long committedBytes();

    /** What of that is not in use, not even by garbage. */
    long freeBytes();

    /** The time, as {@link System#nanoTime}. */
    default long nanoTime() {
      return System.nanoTime();
    }
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

  /** Shortest time from one collection to the next where they are concurrent. */
  static final long CONCURRENT_NANOS = 200_000_000L;

  /**
   * So many full collections in a row that leave little of a heap that does not grow are enough.
   */
  private static final int CRAMPED = 3;

  private final Heap heap;
  private final OtherRoom other;
  private final long maxBytes;
  private long collection;

  /** Whether that counts collections, and not looks. */
  private boolean counted;

  private long looks;
  private int collectionsSeen;
  private long lowest = Long.MAX_VALUE;
  private long lowestBefore = Long.MAX_VALUE;
  private long used;
  private long committed;

  /** The number of full collections at the last look. */
  private long full;

  /** Most that was free since the last full collection, of what is committed. */
  private long mostFree;

  /** What was committed when that was seen. */
  private long committedAtFull;

  /** Full collections in a row that left little, while no more was committed. */
  private int cramped;

  /** Whether counts go up before a collection frees anything, and others follow at once. */
  private boolean concurrent;

  private long collectionAt;

  /** For this JVM's heap. */
  public HeapSlack() {
    this(null, Heap.OF_JVM);
  }

  /** For another heap; for tests. */
  HeapSlack(Heap heap) {
    this(null, heap);
  }

  /**
   * @param other what else may be short; null for nothing
   * @param heap this JVM's, except in tests
   */
  public HeapSlack(OtherRoom other, Heap heap) {
    this.other = other;
    this.heap = heap;
    this.maxBytes = heap.maxBytes();
  }

  /** Discards all looks: memory that was in use then may be free now. */
  public void begin() {
    collectionsSeen = 0;
    cramped = 0;
    lowest = Long.MAX_VALUE;
    lowestBefore = Long.MAX_VALUE;
  }

  /** Samples the usage if collections can't be counted. */
  public void look() {
    look(looks / LOOKS, looks / LOOKS, false);
  }

  /** Samples the usage; each collection may be a full one. */
  void look(long collections) {
    look(collections, collections, true);
  }

  /**
   * Samples the usage.
   *
   * @param collections how many collections have begun so far, or any number that changes with it
   * @param full the same of full collections alone
   */
  public void look(long collections, long full) {
    look(collections, full, true);
  }

  /**
   * Each collection is counted when it begins to look for what is alive, with the heap at its
   * fullest; and it may be over before the next look. So what is seen until {@link
   * #CONCURRENT_NANOS} later is taken together.
   */
  public void collectsConcurrently() {
    concurrent = true;
  }

  private void look(long collections, long fullNow, boolean areCounted) {
    looks++;
    if (areCounted != counted) {
      begin(); // looks that stand for collections and these are no sequence
    }
    counted = areCounted;
    long free = freeBytes();
    long committedNow = heap.committedBytes();
    used = committedNow - heap.freeBytes();
    long now = heap.nanoTime();
    boolean isFirst = collectionsSeen == 0;
    if (isFirst || fullNow != full) {
      boolean again = !isFirst && mostFree < keepBytes() && committedNow <= committedAtFull;
      // Concurrent ones are counted with the heap at its fullest, so that says nothing.
      cramped = again && !concurrent ? cramped + 1 : 0;
      mostFree = free;
      committedAtFull = committedNow;
      full = fullNow;
    } else {
      mostFree = Math.max(mostFree, free);
    }
    boolean isTooSoon = concurrent && now - collectionAt < CONCURRENT_NANOS;
    if (isFirst || collections != collection && !isTooSoon) {
      collection = collections;
      collectionAt = now;
      collectionsSeen++;
      lowestBefore = lowest;
      lowest = used;
    } else {
      lowest = Math.min(lowest, used);
    }
    committed = committedNow;
  }

  /** The number of the last {@link #look(long)}; 0 if collections can't be counted. */
  long collection() {
    return counted ? collection : 0;
  }

  /** The number of full collections at the last {@link #look(long, long)}; 0 if not counted. */
  long fullCollection() {
    return counted ? full : 0;
  }

  /** Whether to look again soon: usage is high, which may be garbage. */
  public boolean isDoubtful() {
    return maxBytes - used < keepBytes();
  }

  /**
   * How many bytes may be taken before the next collection: what is free of what is committed.
   * {@link Long#MAX_VALUE} while less than two thirds of the maximum are committed: a JVM whose
   * heap grows has little of it free, and makes it larger. Reads the heap anew, and allocates
   * nothing.
   */
  long freeBytes() {
    return heap.committedBytes() < maxBytes / 3 * 2 ? Long.MAX_VALUE : heap.freeBytes();
  }

  /**
   * Whether two collections in a row have left too little for going on. The first that was seen may
   * have been before the first look. Also where the JVM does not make the heap larger though full
   * collections leave little of it.
   */
  public boolean isShort() {
    return isHeapShort() || isOtherShort(false);
  }

  /** The same of the heap alone: allocates nothing. */
  public boolean isHeapShort() {
    return collectionsSeen > 2 && bytes() < keepBytes() || isCramped();
  }

  /**
   * Whether full collections leave little of what is committed, and the JVM leaves it at that: JDK
   * 25's Serial does not make its young generation larger while objects fill it, and throws an
   * {@code OutOfMemoryError} below the maximum. Young collections say nothing: the old generation
   * may be as large as what it holds, and the young one small.
   */
  private boolean isCramped() {
    return counted && cramped >= CRAMPED && mostFree < keepBytes();
  }

  private boolean isOtherShort(boolean begins) {
    return other != null && other.whyNot(begins) != null;
  }

  /**
   * Whether two collections were seen since the first look, or as many looks as stand for them, so
   * that the lowest usage is known.
   */
  public boolean isKnown() {
    return collectionsSeen > 2 || isOtherShort(true);
  }

  /**
   * Whether enough is free to start, even if nothing in use is garbage. Of a heap that is used to
   * more than three quarters, it must be free by now.
   */
  public boolean isAmple() {
    return maxBytes - used >= startBytes()
        && (used <= maxBytes / 4 * 3 || freeBytes() >= keepBytes())
        && !isOtherShort(true);
  }

  /** Whether it is ample, and as much is free of what is committed: nothing has to grow for it. */
  public boolean isAmpleNow() {
    return isAmple() && freeBytes() >= keepBytes();
  }

  /** Whether the heap is so small that the application's start is waited for. */
  public boolean needsSettling() {
    return maxBytes < SETTLING_BYTES;
  }

  /** Bytes left free after the last two collections, the larger of both. */
  long bytes() {
    return maxBytes - Math.min(lowest, lowestBefore);
  }

  /** Least that was in use from the last collection but one to the last one. */
  long usedAfterLastButOne() {
    return lowestBefore;
  }

  /** The heap's maximum size. */
  long maxBytes() {
    return maxBytes;
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
        + " MiB"
        + (isOfCommitted() ? ", of which the JVM uses " + mib(committed) + "," : "")
        + " has "
        + mib(Math.max(0, (isOfCommitted() ? committed : maxBytes) - lowest))
        + " MiB left after the last collection, "
        + "and sampling needs "
        + mib(startBytes())
        + " to begin and "
        + mib(keepBytes())
        + " to go on; a larger -Xmx helps";
  }

  /** Whether the maximum leaves enough, and only what the JVM makes of the heap does not. */
  private boolean isOfCommitted() {
    return isCramped()
        || maxBytes - lowest >= startBytes()
            && committed - lowest < keepBytes()
            && lowest > maxBytes / 4 * 3;
  }

  private static long mib(long bytes) {
    return bytes >> 20;
  }
}
