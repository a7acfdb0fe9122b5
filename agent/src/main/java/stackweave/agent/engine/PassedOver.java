package stackweave.agent.engine;

import java.util.Arrays;
import stackweave.agent.engine.SignalMasks.Answer;

/**
 * Threads without a timer, for they block our signal or wait for it, or may do so: what was seen of
 * each, and when it is to have its timer after all. By slots of {@link TimerThreads}. For the drain
 * thread only.
 */
final class PassedOver {
  /** Sure looks that a thread of which nothing is known needs. */
  private static final int AT_FIRST = 1;

  /** The same after it was seen with the signal blocked: it may toggle its mask. */
  private static final int AFTER_BLOCKING = 2;

  /** The same after it was seen waiting for the signal. */
  private static final int AFTER_WAITING = 5;

  /** The C library blocks all signals while it starts a thread, which takes no more CPU time. */
  private static final long BEING_BORN_NANOS = 100_000;

  /** What is known of one; kept for the next thread of the same slot. */
  private static final class Entry {
    final OpenSights sights = new OpenSights();
    int tid;
    int needed;
    boolean born;
  }

  private final SignalMasks masks;
  private final OpenSights anew = new OpenSights();
  private Entry[] entries = new Entry[256];

  PassedOver(SignalMasks masks) {
    this.masks = masks;
  }

  /** Looks at a thread of which nothing is known. */
  Answer lookAnew(int tid) {
    anew.clear();
    return masks.look(tid, anew);
  }

  /**
   * Notes a thread, after {@link #lookAnew} at it.
   *
   * @param fromBirth whether what it has used so far is to be accounted for
   */
  void add(int slot, int tid, Answer answer, boolean fromBirth) {
    if (slot >= entries.length) {
      entries = Arrays.copyOf(entries, Math.max(2 * entries.length, slot + 1));
    }
    if (entries[slot] == null) {
      entries[slot] = new Entry();
    }
    Entry entry = entries[slot];
    entry.tid = tid;
    entry.needed = AT_FIRST;
    entry.born = fromBirth;
    entry.sights.clear();
    note(entry, answer);
  }

  /** Whether nothing is known of the thread in a slot: it was not seen to block the signal. */
  boolean isInDoubt(int slot, int tid) {
    return has(slot, tid) && entries[slot].needed == AT_FIRST;
  }

  boolean isFromBirth(int slot) {
    return entries[slot].born;
  }

  /** Looks at a thread again; whether it is to have its timer now. */
  boolean look(int slot, int tid) {
    if (!has(slot, tid)) {
      add(slot, tid, Answer.UNSURE, false);
    }
    Entry entry = entries[slot];
    note(entry, masks.look(tid, entry.sights));
    return entry.needed <= 0;
  }

  private boolean has(int slot, int tid) {
    return slot < entries.length && entries[slot] != null && entries[slot].tid == tid;
  }

  private void note(Entry entry, Answer answer) {
    switch (answer) {
      case TAKES -> {
        entry.needed--;
        entry.sights.clear(); // each sure look is one of its own
      }
      case BLOCKS -> {
        if (!isBeingBorn(entry)) {
          need(entry, AFTER_BLOCKING);
        }
      }
      case WAITS -> need(entry, AFTER_WAITING);
      case UNSURE -> {}
    }
  }

  private boolean isBeingBorn(Entry entry) {
    return entry.born && masks.switches() == 0 && masks.cpuNanos(entry.tid) < BEING_BORN_NANOS;
  }

  private void need(Entry entry, int looks) {
    entry.needed = Math.max(entry.needed, looks);
    entry.sights.clear();
    entry.born = false;
  }
}
