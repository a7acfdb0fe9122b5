package stackweave.agent.engine.timer.mask;

import java.util.Arrays;
import stackweave.agent.engine.timer.mask.SignalMasks.Answer;

/**
 * Threads without a timer because they block the signal, wait for it or may do so, or because their
 * stack is small: what was seen of each, and when it may get a timer. Indexed by the slots of
 * TimerThreads. Used by the timer engine's discovery; for the drain thread only.
 */
public final class PassedOver {
  /** Points of a certain observation. */
  private static final int SURE = 2;

  /** Points of an observation that needs another one to confirm it. */
  private static final int SEEMING = 1;

  /** Points needed by a thread of which nothing is known. */
  private static final int AT_FIRST = SURE;

  /** Points needed after the thread was seen blocking the signal, as it may toggle its mask. */
  private static final int AFTER_BLOCKING = 2 * SURE;

  /** Points needed after the thread was seen waiting for the signal. */
  private static final int AFTER_WAITING = 5 * SURE;

  /**
   * CPU time for which a starting thread may block all signals, as the C library does then, in ns.
   */
  private static final long BEING_BORN_NANOS = 100_000;

  /** Time between observations that count as independent, in ns. */
  private static final long APART_NANOS = 5_000_000;

  /** Time after which a thread that has ended is known to have, in ns. */
  private static final long MOMENT_NANOS = 250_000_000;

  /** Time in doubt after which a thread is reported as left out, in ns. */
  private static final long LONG_NANOS = 2_000_000_000;

  /** Number of checks without a pause; after that the pause doubles each time. */
  private static final int QUICK_LOOKS = 16;

  private static final long MAX_PAUSE_NANOS = 1_000_000_000;

  /** What is known of a thread; reused for the next thread of the same slot. */
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

  /** Observations of the last {@link #lookAnew}, of thread {@link #anewTid}. */
  private final OpenSights anew = new OpenSights();

  private int anewTid;
  private Entry[] entries = new Entry[256];

  /**
   * @param masks checks the threads; closed by the caller
   */
  public PassedOver(SignalMasks masks) {
    this.masks = masks;
  }

  /**
   * Checks a thread of which nothing is known.
   *
   * @param early whether it has just started
   */
  public Answer lookAnew(int tid, boolean early) {
    anew.clear();
    anewTid = tid;
    return masks.look(tid, anew, early);
  }

  /** The next thread is added without a check. */
  public void forgetLook() {
    anewTid = 0;
  }

  /**
   * Adds a thread, after {@link #lookAnew} or unchecked.
   *
   * @param fromBirth whether its CPU time so far is to be accounted for
   * @param settled whether one check that finds the signal blocked is enough
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

  /** Adds a thread whose stack is small, which it stays for its life. */
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

  /** Whether such a thread is to be checked now. */
  public boolean isDue(int slot, long nowNanos) {
    return nowNanos - entries[slot].nextLookAt >= 0;
  }

  /** Whether a thread has been in doubt long enough to be reported. */
  public boolean isLongInDoubt(int slot, int tid) {
    return isInDoubt(slot, tid) && System.nanoTime() - entries[slot].addedAt >= LONG_NANOS;
  }

  /**
   * Whether the thread in a slot has been known for a while to block the signal. In glibc, a thread
   * that starts another or ends blocks signals for a moment.
   */
  public boolean isSeenBlocking(int slot, int tid) {
    return has(slot, tid)
        && entries[slot].blocks
        && !entries[slot].inDoubt
        && System.nanoTime() - entries[slot].blocksSince >= MOMENT_NANOS;
  }

  /** Whether all CPU time of the thread in a slot is to be accounted for. */
  public boolean isFromBirth(int slot) {
    return entries[slot].born;
  }

  /**
   * The CPU time, in ns, from which on a thread's use is accounted for when it gets its timer: 0
   * from its start; negative for nothing, since it was known to block the signal.
   */
  public long accountedFrom(int slot) {
    Entry entry = entries[slot];
    return entry.born ? 0 : entry.inDoubt ? entry.cpuAtAdd : -1;
  }

  /**
   * Checks a thread again; returns whether it is to get its timer now.
   *
   * @param early whether it has just started
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
   * Two checks may see the same moment of a thread that was not scheduled in between, unless it has
   * slept.
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

  /** A thread found blocking twice, some time apart, is taken for one that blocks the signal. */
  private void noteBlocking(Entry entry, long now) {
    if (entry.born && masks.switches() == 0 && masks.cpuNanos(entry.tid) < BEING_BORN_NANOS) {
      return;
    }
    boolean again = entry.blocks && now - entry.blocksSince >= APART_NANOS;
    need(entry, AFTER_BLOCKING, now);
    entry.inDoubt &= !again;
  }

  /** Adds points; the next ones need new observations. */
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
