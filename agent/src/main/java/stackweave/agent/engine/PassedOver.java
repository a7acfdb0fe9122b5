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

  /**
   * Unsure looks that count as a sure one: the mask was open at each, with the thread running or
   * ready to run, and having run since the one before. Where more threads are ready than there are
   * CPUs, those that sleep often are never met on a CPU.
   */
  private static final int RUNS = 8;

  /** The C library blocks all signals while it starts a thread, which takes no more CPU time. */
  private static final long BEING_BORN_NANOS = 100_000;

  private final SignalMasks masks;
  private int[] tids = new int[256];
  private int[] needed = new int[256];
  private int[] runs = new int[256];
  private long[] switches = new long[256];
  private long[] cpuNanos = new long[256];
  private boolean[] born = new boolean[256];

  PassedOver(SignalMasks masks) {
    this.masks = masks;
  }

  /**
   * Notes a thread, after {@link SignalMasks#look} at it.
   *
   * @param fromBirth whether what it has used so far is to be accounted for
   */
  void add(int slot, int tid, Answer answer, boolean fromBirth) {
    if (slot >= tids.length) {
      int size = Math.max(2 * tids.length, slot + 1);
      tids = Arrays.copyOf(tids, size);
      needed = Arrays.copyOf(needed, size);
      runs = Arrays.copyOf(runs, size);
      switches = Arrays.copyOf(switches, size);
      cpuNanos = Arrays.copyOf(cpuNanos, size);
      born = Arrays.copyOf(born, size);
    }
    tids[slot] = tid;
    needed[slot] = AT_FIRST;
    runs[slot] = 0;
    switches[slot] = -1;
    born[slot] = fromBirth;
    note(slot, answer);
  }

  /** Whether nothing is known of the thread in a slot: it was not seen to block the signal. */
  boolean isInDoubt(int slot, int tid) {
    return slot < tids.length && tids[slot] == tid && needed[slot] == AT_FIRST;
  }

  boolean isFromBirth(int slot) {
    return born[slot];
  }

  /** Looks at a thread again; whether it is to have its timer now. */
  boolean look(int slot, int tid) {
    if (slot >= tids.length || tids[slot] != tid) {
      add(slot, tid, Answer.UNSURE, false);
    }
    return note(slot, masks.look(tid, switches[slot], cpuNanos[slot]));
  }

  private boolean note(int slot, Answer answer) {
    switch (answer) {
      case TAKES -> needed[slot]--;
      case BLOCKS -> {
        if (!isBeingBorn(slot)) {
          need(slot, AFTER_BLOCKING);
        }
      }
      case WAITS -> need(slot, AFTER_WAITING);
      case UNSURE -> noteUnsure(slot);
    }
    return needed[slot] <= 0;
  }

  private boolean isBeingBorn(int slot) {
    return born[slot] && masks.switches() == 0 && masks.cpuNanos(tids[slot]) < BEING_BORN_NANOS;
  }

  private void need(int slot, int sights) {
    needed[slot] = Math.max(needed[slot], sights);
    runs[slot] = 0;
    switches[slot] = -1;
    born[slot] = false;
  }

  private void noteUnsure(int slot) {
    long cpu = masks.cpuNanos(tids[slot]);
    boolean ran = switches[slot] >= 0 && cpu > cpuNanos[slot];
    switches[slot] = masks.switches();
    cpuNanos[slot] = cpu;
    if (ran && masks.isRunnable() && ++runs[slot] >= RUNS && needed[slot] == AT_FIRST) {
      needed[slot] = 0;
    }
  }
}
