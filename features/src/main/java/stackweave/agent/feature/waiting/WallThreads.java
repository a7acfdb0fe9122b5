package stackweave.agent.feature.waiting;

import java.util.Arrays;
import stackweave.unwind.hash.LongIndex;

/**
 * The threads of the process as the wall engine knows them, in columns by position; a thread's
 * position stays until it is removed. Times are in ns, by {@link System#nanoTime}. Used by {@link
 * WallSampler} alone; allocates only to grow.
 */
final class WallThreads {
  // What a position holds.
  static final byte FREE = 0;

  /** A thread of which it isn't known yet whether it is to be looked at. */
  static final byte NEW = 1;

  static final byte WATCHED = 2;

  /** Left out by its name. */
  static final byte EXCLUDED = 3;

  /** Left out, for it is the JVM's by its stack; or one of Java's that was not yet in its list. */
  static final byte OF_JVM = 4;

  /** Short waits of a thread that are told apart. */
  private static final int OWED = 2;

  /** More threads are not looked at. */
  private static final int MAX = 1 << 16;

  private final LongIndex index = new LongIndex();
  private final int[] counts = new int[OF_JVM + 1];

  byte[] kind;

  /** When it is to be looked at again. */
  long[] due;

  /** CPU time at the last look at which that had changed. */
  long[] cpu;

  /** How long it had waited for a CPU by then; −1 where not known. */
  long[] runDelay;

  /** When that look was. */
  long[] changedAt;

  /** Blocked time since then that is accounted for. */
  long[] accounted;

  long[] lookedAt;

  /** Since when it has been seen to stand still. */
  long[] restsSince;

  /** When it was last seen to have run since the look before; long ago if never. */
  long[] ranAt;

  /** When its time was last written. */
  long[] writtenAt;

  /** Whether it is known what it waits for: the columns that follow. */
  boolean[] hasStack;

  long[] stackId;
  long[] threadKey;
  long[] contextId;
  int[] state;
  byte[] end;

  /** Of the ids. */
  int[] generation;

  /** Blocked time that is to be written with the stack. */
  long[] blocked;

  /** Time in which it waited for a CPU after what its stack says, to be written with that. */
  long[] runnable;

  /** The same after it was seen running, to be written without a stack. */
  long[] preempted;

  /** The recording's id of the OS thread, and of which generation it is. */
  long[] ownKey;

  int[] ownGeneration;

  /** Blocked time that waits for a stack; negative if too much was accounted for. */
  long[] carried;

  /**
   * Blocked time that waits for the stack of a wait that was too short to be read, and that wait's
   * stack pointer and pc: {@link #OWED} for each thread.
   */
  private long[] owed;

  private long[] owedSp;
  private long[] owedPc;

  /** In which listing it was seen last. */
  private int[] listed;

  private int listing;

  /** Positions that were given so far, free ones among them. */
  private int limit;

  WallThreads() {
    grow(index.capacity());
  }

  private void grow(int length) {
    kind = kind == null ? new byte[length] : Arrays.copyOf(kind, length);
    end = end == null ? new byte[length] : Arrays.copyOf(end, length);
    hasStack = hasStack == null ? new boolean[length] : Arrays.copyOf(hasStack, length);
    state = grown(state, length);
    generation = grown(generation, length);
    ownGeneration = grown(ownGeneration, length);
    listed = grown(listed, length);
    due = grown(due, length);
    cpu = grown(cpu, length);
    runDelay = grown(runDelay, length);
    changedAt = grown(changedAt, length);
    accounted = grown(accounted, length);
    lookedAt = grown(lookedAt, length);
    restsSince = grown(restsSince, length);
    ranAt = grown(ranAt, length);
    writtenAt = grown(writtenAt, length);
    stackId = grown(stackId, length);
    threadKey = grown(threadKey, length);
    contextId = grown(contextId, length);
    blocked = grown(blocked, length);
    runnable = grown(runnable, length);
    preempted = grown(preempted, length);
    ownKey = grown(ownKey, length);
    carried = grown(carried, length);
    owed = grown(owed, OWED * length);
    owedSp = grown(owedSp, OWED * length);
    owedPc = grown(owedPc, OWED * length);
  }

  private static long[] grown(long[] column, int length) {
    return column == null ? new long[length] : Arrays.copyOf(column, length);
  }

  private static int[] grown(int[] column, int length) {
    return column == null ? new int[length] : Arrays.copyOf(column, length);
  }

  /** Positions are below this. */
  int limit() {
    return limit;
  }

  /** How many threads are of a kind. */
  int count(byte of) {
    return counts[of];
  }

  int tid(int i) {
    return (int) index.key(i);
  }

  void setKind(int i, byte to) {
    counts[kind[i]]--;
    kind[i] = to;
    counts[to]++;
  }

  /** Begins to list the threads that there are. */
  void beginListing() {
    listing++;
  }

  /** A thread is there; returns its position if it is a new one that is known now, else −1. */
  int list(int tid) {
    int known = index.find(tid);
    if (known >= 0) {
      listed[known] = listing;
      return -1;
    }
    if (index.count() == MAX) {
      return -1;
    }
    int i = index.add(tid);
    if (index.capacity() > kind.length) {
      grow(index.capacity());
    }
    if (i >= limit) {
      counts[FREE] += i + 1 - limit;
      limit = i + 1;
    }
    listed[i] = listing;
    setKind(i, NEW);
    return i;
  }

  /** Whether a thread was in the last listing. */
  boolean isListed(int i) {
    return listed[i] == listing;
  }

  /** Forgets what a thread did: it is looked at for the first time, with this CPU time. */
  void reset(int i, long cpuNanos, long runDelayNanos, long now) {
    cpu[i] = cpuNanos;
    runDelay[i] = runDelayNanos;
    changedAt[i] = now;
    accounted[i] = 0;
    lookedAt[i] = now;
    restsSince[i] = now;
    ranAt[i] = now - Long.MAX_VALUE / 2;
    writtenAt[i] = now;
    hasStack[i] = false;
    blocked[i] = 0;
    runnable[i] = 0;
    preempted[i] = 0;
    ownKey[i] = 0;
    carried[i] = 0;
    Arrays.fill(owed, OWED * i, OWED * (i + 1), 0);
    due[i] = now;
  }

  /** A wait that was seen, and not read, stands for blocked time. */
  void owe(int i, long sp, long pc, long nanos) {
    int first = OWED * i;
    int place = first;
    for (int k = first; k < first + OWED; k++) {
      if (owed[k] != 0 && owedSp[k] == sp && owedPc[k] == pc) {
        owed[k] += nanos;
        return;
      }
      place = owed[k] < owed[place] ? k : place;
    }
    carried[i] += owed[place];
    owed[place] = nanos;
    owedSp[place] = sp;
    owedPc[place] = pc;
  }

  /** The time that waits for the stack of a wait with these registers, which has been read now. */
  long takeOwed(int i, long sp, long pc) {
    for (int k = OWED * i; k < OWED * (i + 1); k++) {
      if (owed[k] != 0 && owedSp[k] == sp && owedPc[k] == pc) {
        long nanos = owed[k];
        owed[k] = 0;
        return nanos;
      }
    }
    return 0;
  }

  /** Waits for short waits no more: their time is that of any stack. */
  void giveUpOwed(int i) {
    for (int k = OWED * i; k < OWED * (i + 1); k++) {
      carried[i] += owed[k];
      owed[k] = 0;
    }
  }

  /** Removes a thread that has ended. */
  void remove(int i) {
    setKind(i, FREE);
    index.remove(index.key(i));
  }
}
