package stackweave.agent.feature.waiting;

import java.util.Arrays;

/** A thread as {@link WallSampler} knows it. */
final class WallThread extends KnownThread {
  /** Whether a thread is looked at. */
  enum Kind {
    /** It isn't known yet. */
    NEW,
    WATCHED,
    /** Excluded by its name. */
    EXCLUDED,
    /** Excluded: by its stack a thread of the JVM, or a Java thread not yet in the JVM's list. */
    OF_JVM
  }

  /** The number of short waits of a thread that are distinguished. */
  private static final int OWED = 2;

  Kind kind = Kind.NEW;

  /** CPU time at the last look at which it had changed. */
  long cpu;

  /** How long it had waited for a CPU by then; −1 where not known. */
  long runDelay;

  /** When that look was. */
  long changedAt;

  /** Blocked time since then that is accounted for. */
  long accounted;

  long lookedAt;

  /** The time since which it has been seen not to run. */
  long restsSince;

  /** When its time was last written. */
  long writtenAt;

  /** Blocked time that is to be written with the stack. */
  long blocked;

  /** Time in which it waited for a CPU after the wait of its stack, to be written with that. */
  long runnable;

  /** Time in which it waited for a CPU after it was seen running, to be written without a stack. */
  long preempted;

  /** The recording's id of the OS thread, and the generation of that id. */
  long ownKey;

  int ownGeneration;

  /** Blocked time that waits for a stack; negative if too much was accounted for. */
  long carried;

  /** The last listing that had it. */
  int listing;

  /**
   * Blocked time that waits for the stack of a wait that was too short to be read, and that wait's
   * stack pointer and pc.
   */
  private final long[] owed = new long[OWED];

  private final long[] owedSp = new long[OWED];
  private final long[] owedPc = new long[OWED];

  WallThread(int tid) {
    super(tid);
  }

  /** Resets it for its first look, with this CPU time. */
  void reset(long cpuNanos, long runDelayNanos, long now) {
    cpu = cpuNanos;
    runDelay = runDelayNanos;
    changedAt = now;
    accounted = 0;
    lookedAt = now;
    restsSince = now;
    writtenAt = now;
    hasStack = false;
    blocked = 0;
    runnable = 0;
    preempted = 0;
    ownKey = 0;
    carried = 0;
    Arrays.fill(owed, 0);
    due = now;
  }

  /** Adds blocked time to a wait that was seen, but not read. */
  void owe(long sp, long pc, long nanos) {
    int place = 0;
    for (int k = 0; k < OWED; k++) {
      if (owed[k] != 0 && owedSp[k] == sp && owedPc[k] == pc) {
        owed[k] += nanos;
        return;
      }
      place = owed[k] < owed[place] ? k : place;
    }
    carried += owed[place];
    owed[place] = nanos;
    owedSp[place] = sp;
    owedPc[place] = pc;
  }

  /** Takes the blocked time of a wait with these registers, which has now been read. */
  long takeOwed(long sp, long pc) {
    for (int k = 0; k < OWED; k++) {
      if (owed[k] != 0 && owedSp[k] == sp && owedPc[k] == pc) {
        long nanos = owed[k];
        owed[k] = 0;
        return nanos;
      }
    }
    return 0;
  }

  /** Adds the time of short waits that were not read to any stack. */
  void giveUpOwed() {
    for (int k = 0; k < OWED; k++) {
      carried += owed[k];
      owed[k] = 0;
    }
  }
}
