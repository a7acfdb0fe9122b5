package stackweave.agent.drain.thread;

import java.lang.ref.WeakReference;
import java.util.Arrays;

/**
 * Continuations by the address that they were found at, and by the carrier that ran them then.
 * Bounded: when it is full it forgets all. Allocates for what is new only. For the drain thread.
 */
final class ContinuationTable {
  private static final int CAPACITY = 8_192;
  private static final int MAX = CAPACITY / 2;

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

  private final Found[] table = new Found[CAPACITY];
  private int size;

  /** What was found there, or null. */
  Found find(long address, int carrier) {
    return table[slot(address, carrier)];
  }

  /** Adds what was found, or replaces what was found there before. */
  void put(Found found) {
    int slot = slot(found.address, found.carrier);
    if (table[slot] == null && ++size > MAX) {
      clear();
      size = 1;
      slot = slot(found.address, found.carrier);
    }
    table[slot] = found;
  }

  /** Forgets all. */
  void clear() {
    if (size > 0) {
      Arrays.fill(table, null);
      size = 0;
    }
  }

  /** The slot with that key, or the free one for it. */
  private int slot(long address, int carrier) {
    long hash = (address ^ (long) carrier << 40) * 0x9E3779B97F4A7C15L;
    int slot = (int) (hash >>> 51);
    while (table[slot] != null
        && (table[slot].address != address || table[slot].carrier != carrier)) {
      slot = slot + 1 & CAPACITY - 1;
    }
    return slot;
  }
}
