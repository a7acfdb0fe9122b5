package stackweave.agent.decode.thread;

import stackweave.agent.decode.thread.ContinuationTable.Found;
import stackweave.agent.jdk.MountedContinuations;
import stackweave.agent.jdk.label.ContextHook;
import stackweave.hotspot.runtime.GarbageCollections;
import stackweave.linux.ObjectBits;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Finds the virtual thread of a sample, by the address of its continuation in the copied stack,
 * which is compared with those of known continuations, because the carrier may run another one by
 * now. Wrong answers are not allowed, so the result is null unless the address provably meant the
 * same object at the sample's time; the sections below say why that holds for each kind of
 * collector. Used by {@link ThreadNames}; for the drain thread only.
 */
public final class VirtualThreads implements AutoCloseable {
  /** Continuations whose addresses are read again after a collection, at about 1.2 µs each. */
  private static final int MAX_REMEMBERED = 256;

  private static final int ANY_CARRIER = 0;

  private final MountedContinuations mounted;
  private final ObjectBits bits;
  private final CollectionEpoch epoch;
  private final boolean moveInPauses;
  private final ContinuationTable table = new ContinuationTable();

  private final Found[] remembered = new Found[MAX_REMEMBERED];
  private int nextRemembered;
  private boolean allTaken;

  /** Virtual threads that set labels, which may end before a sample is decoded; may be null. */
  private final ContextHook labelled;

  /** How many of these were taken in this epoch. */
  private long labelledTaken;

  /**
   * @param collections of a supported collector
   * @param bits closed with this
   * @param labelled the threads that set labels; may be null
   */
  public VirtualThreads(
      GarbageCollections collections,
      MountedContinuations mounted,
      ObjectBits bits,
      ContextHook labelled) {
    this.labelled = labelled;
    this.mounted = mounted;
    this.bits = bits;
    epoch = new CollectionEpoch(collections);
    moveInPauses = collections.moves() == GarbageCollections.Moves.IN_PAUSES;
  }

  /**
   * The virtual thread that a carrier ran.
   *
   * @param carrier the sampled platform thread
   * @param carrierTid its id in the OS
   * @param address the address of the continuation in its copied stack
   * @param nanos time of the sample
   * @return null if that is not certain, or the thread is garbage by now
   */
  Thread find(Thread carrier, int carrierTid, long address, long nanos) {
    try {
      if (!epoch.lastedTo(nanos)) {
        isSameEpoch();
      }
      if (!epoch.hadBegun(nanos)) {
        return null;
      }
      return moveInPauses
          ? findAnywhere(carrier, address)
          : findOn(carrier, carrierTid, address, nanos);
    } catch (UnreadableMemoryException e) {
      table.clear();
      epoch.forget();
      return null;
    }
  }

  @Override
  public void close() {
    bits.close();
  }

  // Collectors that move objects in pauses count a collection before they move anything. If the
  // count is the same from before the sample until after the continuation was found at the address,
  // it was there at the sample's time. For samples from before the last collection there is no
  // answer.

  private Thread findAnywhere(Thread carrier, long address) throws UnreadableMemoryException {
    Found found = table.find(address, ANY_CARRIER);
    if (found == null) {
      take(mounted.of(carrier));
      found = table.find(address, ANY_CARRIER);
      if (found == null && !allTaken) {
        takeRemembered();
        found = table.find(address, ANY_CARRIER);
      }
      if (found == null && labelled != null) {
        takeLabelled();
        found = table.find(address, ANY_CARRIER);
      }
      if (!isSameEpoch()) {
        return null;
      }
    }
    return found == null ? null : found.thread.get();
  }

  private void takeRemembered() {
    allTaken = true;
    for (Found old : remembered) {
      if (old != null) {
        take(old.continuation.get());
      }
    }
  }

  /**
   * A continuation that is at an address now was there before, too, while the count is the same.
   */
  private void takeLabelled() {
    long count = labelled.virtualThreads();
    long first = Math.max(labelledTaken, count - ContextHook.MAX_RECENT);
    for (long number = Math.max(0, first); number < count; number++) {
      Thread thread = labelled.virtualThread(number);
      if (thread != null) {
        found(mounted.ofThread(thread));
      }
    }
    labelledTaken = count;
  }

  private void take(Object continuation) {
    Found found = found(continuation);
    if (found != null) {
      remember(found, continuation);
    }
  }

  /** Adds a continuation where it lies now; null if it is none, or was added before. */
  private Found found(Object continuation) {
    Thread thread = continuation == null ? null : mounted.threadOf(continuation);
    long address = thread == null ? 0 : bits.of(continuation);
    if (address == 0 || table.find(address, ANY_CARRIER) != null) {
      return null;
    }
    Found found = new Found(address, ANY_CARRIER, continuation, thread, System.nanoTime());
    table.put(found);
    return found;
  }

  private void remember(Found found, Object continuation) {
    for (int i = 0; i < remembered.length; i++) {
      if (remembered[i] != null && remembered[i].continuation.refersTo(continuation)) {
        return;
      }
    }
    remembered[nextRemembered] = found;
    nextRemembered = (nextRemembered + 1) % MAX_REMEMBERED;
  }

  // Concurrent collectors: an address on a stack may be stale, and another object may be there by
  // now. So the continuation must have been found at the address while this carrier ran it, before
  // the sample, and still be there after the sample, all at the same count. An object moves at most
  // once between two counts, so it was there all the time; and what the carrier mounted in between
  // had a true address when mounted, which can't have been this one.

  private Thread findOn(Thread carrier, int carrierTid, long address, long nanos)
      throws UnreadableMemoryException {
    Found found = table.find(address, carrierTid);
    if (found == null) {
      takeFrom(carrier, carrierTid);
      isSameEpoch();
      return null;
    }
    if (found.checkedNanos - nanos <= 0) {
      long before = System.nanoTime();
      Object continuation = found.continuation.get();
      if (continuation == null || bits.of(continuation) != address) {
        // Moved: another object may be at this address from now on.
        table.clear();
        return null;
      }
      found.checkedNanos = before;
      if (!isSameEpoch()) {
        return null;
      }
    }
    return found.nanos - nanos <= 0 ? found.thread.get() : null;
  }

  private void takeFrom(Thread carrier, int carrierTid) {
    Object continuation = mounted.of(carrier);
    Thread thread = continuation == null ? null : mounted.threadOf(continuation);
    long address = thread == null ? 0 : bits.of(continuation);
    // Still mounted on the carrier, so what it mounts later has another address than this one has
    // now.
    if (address != 0 && mounted.of(carrier) == continuation) {
      table.put(new Found(address, carrierTid, continuation, thread, System.nanoTime()));
    }
  }

  /** Whether the epoch still lasts; if not, forgets all continuations. */
  private boolean isSameEpoch() throws UnreadableMemoryException {
    boolean same = epoch.lasts();
    if (!same) {
      table.clear();
      allTaken = false;
      labelledTaken = 0;
    }
    return same;
  }
}
