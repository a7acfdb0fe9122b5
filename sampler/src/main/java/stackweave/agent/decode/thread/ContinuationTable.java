package stackweave.agent.decode.thread;

import java.lang.ref.WeakReference;
import java.util.Arrays;
import stackweave.unwind.hash.HashIndex;

/**
 * Continuations by the address that they were found at, and by the carrier that ran them then.
 * Bounded: when it is full it forgets all. Allocates for what is new only. For the drain thread.
 */
final class ContinuationTable {
  private static final int MAX = 4_096;

  /** A continuation found at an address. */
  static final class Found {
    final long address;
    final int carrier;
    final WeakReference<Object> continuation;
    final WeakReference<Thread> thread;

    /** By when it had been found there, on the clock of System.nanoTime. */
    final long nanos;

    /** Until when at least it was there. */
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

  private final HashIndex index = new HashIndex(MAX);
  private final Found[] all = new Found[MAX];

  /** What was found there, or null. */
  Found find(long address, int carrier) {
    int position = position(address, carrier);
    return position == HashIndex.NONE ? null : all[position];
  }

  /** Adds what was found, or replaces what was found there before. */
  void put(Found found) {
    int known = position(found.address, found.carrier);
    if (known != HashIndex.NONE) {
      all[known] = found;
      return;
    }
    if (index.size() == MAX) {
      clear();
    }
    all[index.size()] = found;
    index.add(hash(found.address, found.carrier), index.size());
  }

  /** Forgets all. */
  void clear() {
    Arrays.fill(all, 0, index.size(), null);
    index.clear();
  }

  private int position(long address, int carrier) {
    int slot = index.first(hash(address, carrier));
    while (slot != HashIndex.NONE && !isAt(all[index.at(slot)], address, carrier)) {
      slot = index.next(slot);
    }
    return slot == HashIndex.NONE ? slot : index.at(slot);
  }

  private static boolean isAt(Found found, long address, int carrier) {
    return found.address == address && found.carrier == carrier;
  }

  private static int hash(long address, int carrier) {
    return (int) ((address ^ (long) carrier << 40) * 0x9E3779B97F4A7C15L >>> 32);
  }
}
