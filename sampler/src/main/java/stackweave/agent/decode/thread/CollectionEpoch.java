package stackweave.agent.decode.thread;

import stackweave.hotspot.runtime.GarbageCollections;
import stackweave.unwind.UnreadableMemoryException;

/**
 * A period in which no garbage collection is known to have begun. Times are of System.nanoTime, as
 * samples' are. Used by {@link VirtualThreads}; for the drain thread only.
 */
final class CollectionEpoch {
  private final GarbageCollections collections;
  private int number;
  private long since;
  private long until;
  private boolean begun;

  CollectionEpoch(GarbageCollections collections) {
    this.collections = collections;
  }

  /**
   * Checks whether the epoch still lasts.
   *
   * @return false if a collection has begun since the last check: a new epoch begins with this call
   */
  boolean lasts() throws UnreadableMemoryException {
    long before = System.nanoTime();
    int now = collections.begun();
    boolean lasts = begun && now == number;
    if (!lasts) {
      begun = true;
      number = now;
      // This thread runs Java code, so a pause that had begun when the count was read is over by
      // now.
      since = System.nanoTime();
    }
    until = before;
    return lasts;
  }

  /** Whether the epoch had begun by {@code nanos}. */
  boolean hadBegun(long nanos) {
    return begun && nanos - since >= 0;
  }

  /** Whether it is known to have lasted up to {@code nanos}. */
  boolean lastedTo(long nanos) {
    return begun && until - nanos > 0;
  }

  /** Makes the next check begin a new epoch. */
  void forget() {
    begun = false;
  }
}
