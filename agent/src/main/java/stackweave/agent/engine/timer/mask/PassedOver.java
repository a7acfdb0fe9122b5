package stackweave.agent.engine.timer.mask;

import java.util.Arrays;
import stackweave.agent.engine.timer.mask.SignalMasks.Answer;
import stackweave.agent.engine.timer.threads.TimerThreads;

/**
 * Threads without a timer, for they block our signal or wait for it, or may do so, or have no room
 * for it on their stack: what was seen of each, and when it is to have its timer after all. By
 * slots of {@link TimerThreads}. For the drain thread only.
 */
public final class PassedOver {
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

  /** Looks that are to be independent of each other are so far apart. */
  private static final long APART_NANOS = 5_000_000;

  /** After so long, ended threads are known to have ended. */
  private static final long MOMENT_NANOS = 250_000_000;

  /** A thread that is in doubt for so long is said to be left out. */
  private static final long LONG_NANOS = 2_000_000_000;

  /** So many looks follow each other at once; then the pause doubles from look to look. */
  private static final int QUICK_LOOKS = 16;

  private static final long MAX_PAUSE_NANOS = 1_000_000_000;

  /** What is known of one; kept for the next thread of the same slot. */
  private static final class Entry {
    final OpenSights sights = new OpenSights();
    int tid;
    int needed;
    boolean inDoubt;
    boolean small;
    boolean born;
    int looks;
    long addedAt;
    long cpuAtAdd;
    long nextLookAt;

    /** When it was first seen with the signal blocked, if it was. */
    long blocksSince;

    boolean blocks;

    /** When, and after how many sleeps, it last seemed to take the signal; if it did. */
    long seemedAt;

    long seemedSwitches;
    boolean seemed;
  }

  private final SignalMasks masks;

  /** What {@link #lookAnew} saw last, and of which thread. */
  private final OpenSights anew = new OpenSights();

  private int anewTid;
  private Entry[] entries = new Entry[256];

  public PassedOver(SignalMasks masks) {
    this.masks = masks;
  }

  /**
   * Looks at a thread of which nothing is known.
   *
   * @param early whether it was just told to have started
   */
  public Answer lookAnew(int tid, boolean early) {
    anew.clear();
    anewTid = tid;
    return masks.look(tid, anew, early);
  }

  /** A thread is to be added without a look. */
  public void forgetLook() {
    anewTid = 0;
  }

  /**
   * Notes a thread, after {@link #lookAnew} at it or without a look.
   *
   * @param fromBirth whether what it has used so far is to be accounted for
   * @param settled whether one look that finds the signal blocked is enough
   */
  public void add(int slot, int tid, Answer answer, boolean fromBirth, boolean settled) {
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
    entry.small = false;
    entry.born = fromBirth;
    entry.looks = 0;
    entry.addedAt = System.nanoTime();
    entry.cpuAtAdd = fromBirth ? 0 : Math.max(1, masks.cpuNanos(tid));
    entry.nextLookAt = entry.addedAt;
    entry.blocks = false;
    entry.seemed = false;
    entry.sights.clear();
    if (anewTid == tid) {
      entry.sights.copy(anew);
    }
    anewTid = 0;
    note(entry, answer);
    entry.inDoubt &= !(settled && entry.blocks);
  }

  /** Notes a thread whose stack is small. It stays so for its life. */
  public void addSmall(int slot, int tid) {
    anewTid = 0;
    add(slot, tid, Answer.UNSURE, false, false);
    entries[slot].inDoubt = false;
    entries[slot].small = true;
  }

  /** Whether the stack of the thread in a slot is small. */
  public boolean isSmall(int slot, int tid) {
    return has(slot, tid) && entries[slot].small;
  }

  /** Whether it is not known yet what the thread in a slot does with the signal. */
  public boolean isInDoubt(int slot, int tid) {
    return has(slot, tid) && entries[slot].inDoubt;
  }

  /** Whether such a thread is to be looked at now. */
  public boolean isDue(int slot, long nowNanos) {
    return nowNanos - entries[slot].nextLookAt >= 0;
  }

  /** Whether a thread has been in doubt for so long that it has to be said. */
  public boolean isLongInDoubt(int slot, int tid) {
    return isInDoubt(slot, tid) && System.nanoTime() - entries[slot].addedAt >= LONG_NANOS;
  }

  /**
   * Whether the thread in a slot has been known for a while to block the signal. One that starts or
   * ends a thread, or ends itself, does so for a moment (in glibc).
   */
  public boolean isSeenBlocking(int slot, int tid) {
    return has(slot, tid)
        && entries[slot].blocks
        && !entries[slot].inDoubt
        && System.nanoTime() - entries[slot].blocksSince >= MOMENT_NANOS;
  }

  public boolean isFromBirth(int slot) {
    return entries[slot].born;
  }

  /**
   * From which CPU time on, in ns, what a thread has used is to be accounted for when it gets its
   * timer: 0 from its birth; negative if that is nothing, since it was known to block the signal.
   */
  public long accountedFrom(int slot) {
    Entry entry = entries[slot];
    return entry.born ? 0 : entry.inDoubt ? entry.cpuAtAdd : -1;
  }

  /**
   * Looks at a thread again; whether it is to have its timer now.
   *
   * @param early whether it was just told to have started
   */
  public boolean look(int slot, int tid, boolean early) {
    if (!has(slot, tid)) {
      anewTid = 0;
      add(slot, tid, Answer.UNSURE, false, false);
    }
    Entry entry = entries[slot];
    note(entry, masks.look(tid, entry.sights, early));
    return entry.needed <= 0;
  }

  private boolean has(int slot, int tid) {
    return slot < entries.length && entries[slot] != null && entries[slot].tid == tid;
  }

  private void note(Entry entry, Answer answer) {
    long now = System.nanoTime();
    switch (answer) {
      case TAKES -> count(entry, SURE);
      case SEEMS_TO_TAKE -> noteSeeming(entry, now);
      case BLOCKS -> noteBlocking(entry, now);
      case WAITS -> {
        need(entry, AFTER_WAITING, now);
        entry.inDoubt = false;
      }
      case UNSURE -> {}
    }
    int late = Math.min(Math.max(0, ++entry.looks - QUICK_LOOKS), 30);
    entry.nextLookAt = now + Math.min(MAX_PAUSE_NANOS, APART_NANOS << late) - APART_NANOS;
  }

  /**
   * Two looks may see the same moment of a thread whose CPU was taken away, unless it has slept.
   */
  private void noteSeeming(Entry entry, long now) {
    boolean same =
        entry.seemed
            && now - entry.seemedAt < APART_NANOS
            && masks.switches() == entry.seemedSwitches;
    entry.sights.clear();
    if (!same) {
      entry.seemed = true;
      entry.seemedAt = now;
      entry.seemedSwitches = masks.switches();
      entry.needed -= SEEMING;
    }
  }

  /** Found so twice, some time apart, a thread is one that blocks the signal. */
  private void noteBlocking(Entry entry, long now) {
    if (entry.born && masks.switches() == 0 && masks.cpuNanos(entry.tid) < BEING_BORN_NANOS) {
      return;
    }
    boolean again = entry.blocks && now - entry.blocksSince >= APART_NANOS;
    need(entry, AFTER_BLOCKING, now);
    entry.inDoubt &= !again;
  }

  /** Each look that counts is one of its own. */
  private static void count(Entry entry, int worth) {
    entry.needed -= worth;
    entry.sights.clear();
  }

  private static void need(Entry entry, int least, long now) {
    entry.needed = Math.max(entry.needed, least);
    if (!entry.blocks) {
      entry.blocks = true;
      entry.blocksSince = now;
    }
    entry.seemed = false;
    entry.sights.clear();
    entry.born = false;
  }
}
