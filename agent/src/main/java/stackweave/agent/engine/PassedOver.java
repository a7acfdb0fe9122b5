package stackweave.agent.engine;

import java.util.Arrays;
import stackweave.agent.engine.SignalMasks.Answer;

/**
 * Threads without a timer, for they block our signal or wait for it, or may do so: what was seen of
 * each, and when it is to have its timer after all. By slots of {@link TimerThreads}. For the drain
 * thread only.
 */
final class PassedOver {
  /** What a look counts that is sure. */
  private static final int SURE = 2;

  /** The same of one that needs a second to be sure. */
  private static final int SEEMING = 1;

  /** What the looks at a thread of which nothing is known have to count. */
  private static final int AT_FIRST = SURE;

  /** The same after it was seen with the signal blocked: it may toggle its mask. */
  private static final int AFTER_BLOCKING = 2 * SURE;

  /** The same after it was seen waiting for the signal. */
  private static final int AFTER_WAITING = 5 * SURE;

  /** The C library blocks all signals while it starts a thread, which takes no more CPU time. */
  private static final long BEING_BORN_NANOS = 100_000;

  /** After so long, ended threads are known to have ended. */
  private static final long MOMENT_NANOS = 250_000_000;

  /** What is known of one; kept for the next thread of the same slot. */
  private static final class Entry {
    final OpenSights sights = new OpenSights();
    int tid;
    int needed;
    long blocksSince;
    boolean inDoubt;
    boolean born;
  }

  private final SignalMasks masks;

  /** What {@link #lookAnew} saw last, and of which thread. */
  private final OpenSights anew = new OpenSights();

  private int anewTid;
  private Entry[] entries = new Entry[256];

  PassedOver(SignalMasks masks) {
    this.masks = masks;
  }

  /** Looks at a thread of which nothing is known. */
  Answer lookAnew(int tid) {
    anew.clear();
    anewTid = tid;
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
    entry.inDoubt = true;
    entry.born = fromBirth;
    entry.sights.clear();
    if (anewTid == tid) {
      entry.sights.copy(anew);
      anewTid = 0;
    }
    note(entry, answer);
  }

  /** Whether nothing is known of the thread in a slot: it was not seen to block the signal. */
  boolean isInDoubt(int slot, int tid) {
    return has(slot, tid) && entries[slot].inDoubt;
  }

  /**
   * Whether the thread in a slot has been known for a while to block the signal. One that starts or
   * ends a thread, or ends itself, does so for a moment (in glibc).
   */
  boolean isSeenBlocking(int slot, int tid) {
    return has(slot, tid)
        && !entries[slot].inDoubt
        && System.nanoTime() - entries[slot].blocksSince >= MOMENT_NANOS;
  }

  /** Whether another look, soon, may be the last that such a thread needs. */
  boolean isHalfSure(int slot, int tid) {
    return isInDoubt(slot, tid) && entries[slot].needed == SEEMING;
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
      case TAKES -> count(entry, SURE);
      case SEEMS_TO_TAKE -> count(entry, SEEMING);
      case BLOCKS -> {
        if (!isBeingBorn(entry)) {
          need(entry, AFTER_BLOCKING);
        }
      }
      case WAITS -> need(entry, AFTER_WAITING);
      case UNSURE -> {}
    }
  }

  /** Each look that counts is one of its own. */
  private static void count(Entry entry, int worth) {
    entry.needed -= worth;
    entry.sights.clear();
  }

  private boolean isBeingBorn(Entry entry) {
    return entry.born && masks.switches() == 0 && masks.cpuNanos(entry.tid) < BEING_BORN_NANOS;
  }

  private static void need(Entry entry, int least) {
    entry.needed = Math.max(entry.needed, least);
    if (entry.inDoubt) {
      entry.inDoubt = false;
      entry.blocksSince = System.nanoTime();
    }
    entry.sights.clear();
    entry.born = false;
  }
}
