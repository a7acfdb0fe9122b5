package stackweave.agent.drain.thread;

import stackweave.hotspot.runtime.GarbageCollections;
import stackweave.unwind.UnreadableMemoryException;

/**
 * A stretch of time in which no collection began, as far as has been looked. Times are those of
 * System.nanoTime, as the samples' are. For the drain thread only.
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
   * Looks whether the epoch still lasts.
   *
   * @return false if a collection has begun since the last look: with this call a new epoch begins
   */
  boolean lasts() throws UnreadableMemoryException {
    long before = System.nanoTime();
    int now = collections.begun();
    boolean lasts = begun && now == number;
    if (!lasts) {
      begun = true;
      number = now;
      // Read as Java code: a pause that had begun when the number was read is over by now.
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

  /** How many collections began before it, as the VM counts them. */
  int number() {
    return number;
  }

  /** From when on it is known to have lasted. */
  long since() {
    return since;
  }

  /** Up to when it is known to have lasted. */
  long until() {
    return until;
  }

  /** Makes the next look begin a new epoch. */
  void forget() {
    begun = false;
  }
}
