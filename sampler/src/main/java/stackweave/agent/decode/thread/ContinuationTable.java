package stackweave.agent.decode.thread;

import java.lang.ref.WeakReference;
import stackweave.unwind.hash.LongTable;

/**
 * Continuations by the address that they were found at, and by the carrier that ran them then.
 * Bounded: when it is full it forgets all. Allocates only for new entries. For the drain thread.
 */
final class ContinuationTable {
  private static final int MAX = 4_096;

  private static final int FIRST_SLOTS = 256;

  /** A continuation found at an address. */
  static final class Found {
    final long address;
    final int carrier;
    final WeakReference<Object> continuation;
    final WeakReference<Thread> thread;

    /** Time by which it had been found there, on the clock of System.nanoTime. */
    final long nanos;

    /** Time until which it was certainly there. */
    long checkedNanos;

    Found(long address, int carrier, Object continuation, Thread thread, long nanos) {
      this.address = address;
      this.carrier = carrier;
      this.continuation = new WeakReference<>(continuation);
      this.thread = new WeakReference<>(thread);
      this.nanos = nanos;
      this.checkedNanos = nanos;
    }
  }

  private final LongTable<Found> all = new LongTable<>(FIRST_SLOTS, MAX);

  /** What was found there, or null. */
  Found find(long address, int carrier) {
    Found found = all.get(key(address, carrier));
    return found != null && found.address == address && found.carrier == carrier ? found : null;
  }

  /** Adds an entry, or replaces the one with the same address and carrier. */
  void put(Found found) {
    all.put(key(found.address, found.carrier), found);
  }

  /** Forgets all. */
  void clear() {
    all.clear();
  }

  /** Not 0. Two entries hardly ever have the same key; then one replaces the other. */
  private static long key(long address, int carrier) {
    return address ^ (long) carrier << 40;
  }
}
