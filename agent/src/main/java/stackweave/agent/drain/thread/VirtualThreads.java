package stackweave.agent.drain.thread;

import stackweave.agent.drain.thread.ContinuationTable.Found;
import stackweave.agent.jdk.MountedContinuations;
import stackweave.agent.linux.ObjectBits;
import stackweave.hotspot.runtime.GarbageCollections;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Which virtual thread a sample is of. When a sample is decoded its carrier may run another one
 * already, but the copied stack has the address that the continuation of the sampled one had in the
 * heap. That address is compared with those of continuations that are known: the one that the
 * carrier runs now, and those met before.
 *
 * <p>The rule is: no answer rather than a wrong one. An address says the same at the sample's time
 * and now if nothing moved in between.
 *
 * <ul>
 *   <li>Collectors that move objects in pauses count a collection before they move anything. If the
 *       count is the same from before the sample until after the continuation was found at the
 *       address, it was there at the sample's time. So it was, too, if it was at the address both
 *       before and after one collection.
 *   <li>Other collectors move objects while threads run: an address on a stack may be an old one,
 *       and another object may be there by now. So the continuation must have been found at the
 *       address while this very carrier ran it, before the sample; and be there still, after the
 *       sample; all of it at the same count. An object moves at most once between two counts, so
 *       the continuation was at the address all the time; and what the carrier mounted in between
 *       had a true address when it was mounted, which can't have been this one.
 * </ul>
 *
 * <p>For the drain thread only.
 */
public final class VirtualThreads implements AutoCloseable {
  /** Continuations whose addresses are taken anew after a collection, at about 1.2 µs each. */
  private static final int MAX_REMEMBERED = 256;

  private static final int ANY_CARRIER = 0;

  private final MountedContinuations mounted;
  private final ObjectBits bits;
  private final CollectionEpoch epoch;
  private final boolean moveInPauses;
  private ContinuationTable table = new ContinuationTable();

  /** That of the epoch before, where objects move in pauses. */
  private ContinuationTable before = new ContinuationTable();

  private int numberBefore;
  private long sinceBefore;
  private long untilBefore;
  private final Found[] remembered = new Found[MAX_REMEMBERED];
  private int nextRemembered;
  private boolean allTaken;

  /** Whether addresses were taken since the epoch was last seen to last. */
  private boolean unconfirmed;

  /**
   * @param collections of a collector that is known
   * @param bits closed with this
   */
  public VirtualThreads(
      GarbageCollections collections, MountedContinuations mounted, ObjectBits bits) {
    this.mounted = mounted;
    this.bits = bits;
    epoch = new CollectionEpoch(collections);
    moveInPauses = collections.moves() == GarbageCollections.Moves.IN_PAUSES;
  }

  /**
   * The virtual thread that a carrier ran.
   *
   * @param carrier the platform thread that was sampled
   * @param carrierTid its id as the OS has it
   * @param address what its stack says of where the continuation lies
   * @param nanos time of the sample
   * @return null where that is not certain, and for threads that are garbage by now
   */
  Thread find(Thread carrier, int carrierTid, long address, long nanos) {
    try {
      if (!epoch.lastedTo(nanos)) {
        isSameEpoch();
      }
      if (!moveInPauses) {
        return epoch.hadBegun(nanos) ? findOn(carrier, carrierTid, address, nanos) : null;
      }
      return epoch.hadBegun(nanos) ? findAnywhere(carrier, address) : findBefore(address, nanos);
    } catch (UnreadableMemoryException e) {
      table.clear();
      before.clear();
      epoch.forget();
      return null;
    }
  }

  @Override
  public void close() {
    bits.close();
  }

  // ---- objects move in pauses

  private Thread findAnywhere(Thread carrier, long address) throws UnreadableMemoryException {
    Found found = table.find(address, ANY_CARRIER);
    if (found == null) {
      take(mounted.of(carrier));
      found = table.find(address, ANY_CARRIER);
      if (found == null && !allTaken) {
        takeRemembered();
        found = table.find(address, ANY_CARRIER);
      }
      if (!isSameEpoch()) {
        return null;
      }
    }
    return found == null ? null : found.thread.get();
  }

  /**
   * Of a sample that is older than the epoch. Either no collection had begun by then that was not
   * known of; or one began about then, and by itself left at the address what had been there.
   */
  private Thread findBefore(long address, long nanos) throws UnreadableMemoryException {
    Found found = before.find(address, ANY_CARRIER);
    if (found == null || nanos - sinceBefore < 0) {
      return null;
    }
    if (nanos - untilBefore < 0) {
      return found.thread.get();
    }
    Object continuation = found.continuation.get();
    if (continuation == null || epoch.number() - numberBefore != 1) {
      return null;
    }
    if (table.find(address, ANY_CARRIER) == null) {
      take(continuation);
      if (!isSameEpoch()) {
        return null;
      }
    }
    Found now = table.find(address, ANY_CARRIER);
    return now != null && now.continuation.refersTo(continuation) ? now.thread.get() : null;
  }

  private void takeRemembered() {
    allTaken = true;
    for (Found old : remembered) {
      if (old != null) {
        take(old.continuation.get());
      }
    }
  }

  private void take(Object continuation) {
    Thread thread = continuation == null ? null : mounted.threadOf(continuation);
    long address = thread == null ? 0 : bits.of(continuation);
    if (address != 0 && table.find(address, ANY_CARRIER) == null) {
      Found found = new Found(address, ANY_CARRIER, continuation, thread, System.nanoTime());
      table.put(found);
      unconfirmed = true;
      remember(found, continuation);
    }
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

  // ---- objects move at any time

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
        // Moved: what is found at this address from now on may be another one.
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
    // Still the carrier's: what it mounts later has another address than this one had just now.
    if (address != 0 && mounted.of(carrier) == continuation) {
      table.put(new Found(address, carrierTid, continuation, thread, System.nanoTime()));
    }
  }

  /** Looks whether the epoch lasts; what is known of addresses is that of the epoch before else. */
  private boolean isSameEpoch() throws UnreadableMemoryException {
    int number = epoch.number();
    long since = epoch.since();
    long until = epoch.until();
    boolean same = epoch.lasts();
    if (!same) {
      ContinuationTable old = table;
      table = before;
      table.clear();
      before = old;
      if (unconfirmed) {
        before.clear();
      }
      numberBefore = number;
      sinceBefore = since;
      untilBefore = until;
      allTaken = false;
    }
    unconfirmed = false;
    return same;
  }
}
