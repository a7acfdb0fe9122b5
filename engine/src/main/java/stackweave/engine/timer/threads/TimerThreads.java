package stackweave.engine.timer.threads;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import stackweave.engine.timer.handler.HandlerMemory;
import stackweave.linux.CpuTime;
import stackweave.linux.Errno;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;
import stackweave.unwind.hash.HashIndex;

/**
 * The threads with a timer on their CPU clock, which sends the signal to that thread. In its first
 * {@link #YOUTH} ticks a thread is sampled at every tick that it runs at, since it may end before
 * an interval has passed ({@link #weigh}); later each expiry stands for an interval. Used by the
 * timer engine; for the drain thread only.
 *
 * <p>Timers must be set relative to the thread's clock: an absolute time in the past would send the
 * signal at once, also to a blocked thread, and some calls fail with EINTR then. A relative one
 * expires only while the thread runs.
 */
public final class TimerThreads implements AutoCloseable {
  private static final int SIGEV_THREAD_ID = 4;
  private static final int SIGEVENT_BYTES = 64;
  private static final int ITIMERSPEC_BYTES = 32;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;
  private static final int NO_SLOT = -1;

  private static final int GENERATION_BITS = 15;

  /** Bit of an identity: the sample is of the thread's youth. Above all thread ids (2²²). */
  private static final long YOUNG = 1L << 31;

  private static final long TID_MASK = YOUNG - 1;

  /** How many ticks a thread is young. */
  private static final int YOUTH = 8;

  /** The number of first samples that stand for a tick each. */
  private static final int FIRST = 2;

  /**
   * At intervals of up to this many ticks all new threads are sampled in their youth, at longer
   * ones a share of them.
   */
  private static final int DENSE = 5;

  private final SystemCalls calls;
  private final HandlerMemory memory;
  private final int signal;
  private final long intervalNanos;
  private final long tickNanos;

  /** The share of new threads that is sampled in its youth. */
  private final double youngShare;

  private final SplittableRandom random = new SplittableRandom();
  private final NativeBuffer event = NativeBuffer.allocate(SIGEVENT_BYTES);
  private final NativeBuffer spec = NativeBuffer.allocate(ITIMERSPEC_BYTES);
  private final CpuTime cpuTime = new CpuTime();
  private final NativeBuffer words = NativeBuffer.allocate(16);

  /** A thread's slot, which is reused. Its number is also that of the handler's block. */
  private static final class Slot {
    /** 0 in a free one. */
    int tid;

    int timer;

    /** Null where the thread has a timer. */
    PassedOver passedOver;

    int generation;
    boolean seen;

    /** Whether a sample of the thread was delivered that is not of its youth. */
    boolean delivered;

    /** Samples still to come in the thread's youth. */
    int young;

    /** Samples so far in the thread's youth. */
    int taken;

    /** CPU time between the start of a young thread's timer and its last sample, in ns. */
    long used;

    /** CPU time between the start of a young thread's timer and its first sample, in ns. */
    long firstGap;

    /**
     * CPU time since the start of a young thread's timer that its samples so far stand for, in ns.
     */
    long weighed;

    /**
     * CPU time before the timer's start that the next sample also stands for, in ns; of threads
     * that are not young.
     */
    long missed;
  }

  /** Only the first {@link #slots} are used. */
  private Slot[] all = new Slot[256];

  /** Free slots, the longest free first. */
  private final Deque<Integer> free = new ArrayDeque<>();

  private int slots;
  private int live;
  private int skipped;
  private int errno;

  /** Slots by hash of the thread id. */
  private final HashIndex index = new HashIndex(512);

  /**
   * @param memory has the thread blocks to which the timers point
   * @param signal the number of the signal that the timers send
   * @param intervalNanos CPU time between two samples of a thread, in ns
   */
  public TimerThreads(SystemCalls calls, HandlerMemory memory, int signal, long intervalNanos) {
    this.calls = calls;
    this.memory = memory;
    this.signal = signal;
    this.intervalNanos = intervalNanos;
    this.tickNanos = CpuTimers.tickNanos();
    this.youngShare = Math.min(1, (double) DENSE * tickNanos / intervalNanos);
  }

  /** The number of the signal. */
  public int signal() {
    return signal;
  }

  /** Threads that have a timer. */
  public int live() {
    return live;
  }

  /** Threads that have none, for whatever reason. */
  public int skipped() {
    return skipped;
  }

  /** Why {@link #attach} failed last. */
  public int errno() {
    return errno;
  }

  /**
   * Creates a thread's timer, which {@link #begin} then starts. The timer belongs to that thread
   * even if the id is reused: what is read of the thread after this is of the timer's thread, or
   * the timer never expires.
   *
   * @return false if the kernel refuses; {@link #errno} has the reason
   */
  public boolean attach(int tid) {
    int slot = enter(tid);
    if (slot == NO_SLOT) {
      return false;
    }
    int timer = createTimer(tid, memory.blockAddress(slot));
    if (timer < 0) {
      leave(slot);
      return false;
    }
    all[slot].timer = timer;
    live++;
    memory.openBlock(slot, identity(slot));
    return true;
  }

  /**
   * Adds a thread without a timer; it counts as {@link #skipped}. Does nothing if no slot is left.
   */
  public void skip(int tid, PassedOver why) {
    int slot = enter(tid);
    if (slot != NO_SLOT) {
      all[slot].passedOver = why;
      skipped++;
    }
  }

  /** Why the thread in a slot has no timer; null if it has one, or the slot is free. */
  public PassedOver passedOver(int slot) {
    return all[slot].passedOver;
  }

  /** Changes the reason why a thread has no timer. */
  public void passOver(int slot, PassedOver why) {
    all[slot].passedOver = why;
  }

  /** How many threads have no timer for a reason. Looks at all slots. */
  public int passedOver(PassedOver why) {
    int count = 0;
    for (int slot = 0; slot < slots && skipped > 0; slot++) {
      count += all[slot].tid != 0 && all[slot].passedOver == why ? 1 : 0;
    }
    return count;
  }

  private int enter(int tid) {
    int slot = takeSlot();
    if (slot == NO_SLOT) {
      errno = Errno.EAGAIN;
      return NO_SLOT;
    }
    Slot of = all[slot];
    of.generation++;
    of.tid = tid;
    of.young = 0;
    of.delivered = false;
    of.passedOver = null;
    of.seen = true;
    index.add(hash(tid), slot);
    return slot;
  }

  private void leave(int slot) {
    memory.closeBlock(slot);
    index.remove(index.first(hash(all[slot].tid)));
    giveSlot(slot);
  }

  /**
   * Starts the timer of an attached thread.
   *
   * @param stackEnd 0 if the stack is not known
   * @param accountedFrom the thread's CPU time, in ns, from which on its use is to be accounted
   *     for: 0 from its start; negative for nothing
   */
  public void begin(int tid, long stackStart, long stackEnd, long accountedFrom) {
    int slot = find(tid);
    if (slot == NO_SLOT || !hasTimer(slot)) {
      return;
    }
    memory.setStack(slot, stackStart, stackEnd);
    start(slot, accountedFrom);
  }

  /** The number of slots, including free ones. */
  public int slots() {
    return slots;
  }

  /** The thread in a slot; 0 in a free one. */
  public int tidAt(int slot) {
    return all[slot].tid;
  }

  /** The slot of a thread; negative if it has none. */
  public int slot(int tid) {
    return find(tid);
  }

  /** Whether the thread in a slot has a timer. */
  public boolean hasTimer(int slot) {
    return all[slot].passedOver == null;
  }

  /** Updates the stack of a thread with a timer; an end of 0 means unknown. */
  public void setStack(int tid, long stackStart, long stackEnd) {
    int slot = find(tid);
    if (slot != NO_SLOT && hasTimer(slot)) {
      memory.changeStack(slot, stackStart, stackEnd);
    }
  }

  /**
   * Creates the timer of a thread that was skipped, which {@link #begin} then starts.
   *
   * @return false if the kernel refuses; {@link #errno} has the reason
   */
  public boolean resume(int slot) {
    Slot of = all[slot];
    int timer = createTimer(of.tid, memory.blockAddress(slot));
    if (timer < 0) {
      return false;
    }
    of.timer = timer;
    of.passedOver = null;
    of.generation++;
    of.young = 0;
    of.delivered = false;
    live++;
    skipped--;
    memory.openBlock(slot, identity(slot));
    return true;
  }

  /** Deletes the timer of the thread in a slot. */
  public void suspend(int slot, PassedOver why) {
    Slot of = all[slot];
    calls.timerDelete(of.timer);
    memory.closeBlock(slot);
    of.passedOver = why;
    live--;
    skipped++;
  }

  /** The kernel's id of a new timer, or −1. */
  private int createTimer(int tid, long block) {
    ByteBuffer bytes = event.bytes();
    bytes.putLong(0, block);
    bytes.putInt(8, signal);
    bytes.putInt(12, SIGEV_THREAD_ID);
    bytes.putInt(16, tid);
    if (calls.timerCreate(CpuTime.clock(tid), event.address(), words.address()) < 0) {
      errno = Libc.errno();
      return -1;
    }
    return words.bytes().getInt(0);
  }

  private void start(int slot, long accountedFrom) {
    Slot of = all[slot];
    long before = accountedFrom < 0 ? 0 : Math.max(0, cpuOf(of.tid) - accountedFrom);
    long youthLeft = accountedFrom == 0 ? YOUTH * tickNanos - before : 0;
    of.missed = 0;
    if (youthLeft <= 0) {
      of.missed = before;
      setToInterval(slot, 0);
    } else if (random.nextDouble() < youngShare) {
      of.young = (int) Math.ceil((double) youthLeft / tickNanos);
      of.taken = 0;
      of.used = 0;
      of.weighed = -before;
      memory.setIdentity(slot, identity(slot));
      set(slot, 1, youngInterval());
    } else {
      setToInterval(slot, youthLeft);
    }
  }

  /** The interval of a young thread's timer: shorter than the time between any two ticks. */
  private long youngInterval() {
    return tickNanos / 4;
  }

  /**
   * Sets the interval, with the first expiry at a random moment of it. The kernel notices an expiry
   * at its next tick, half a tick late on average.
   */
  private void setToInterval(int slot, long delay) {
    set(slot, delay + random.nextLong(intervalNanos) - tickNanos / 2, intervalNanos);
  }

  /** Sets the timer to expire after {@code first} and then at each interval, in ns. */
  private void set(int slot, long first, long interval) {
    long least = Math.max(1, first); // 0 would disarm it
    ByteBuffer bytes = spec.bytes();
    bytes.putLong(0, interval / NANOS_PER_SECOND);
    bytes.putLong(8, interval % NANOS_PER_SECOND);
    bytes.putLong(16, least / NANOS_PER_SECOND);
    bytes.putLong(24, least % NANOS_PER_SECOND);
    calls.timerSettime(all[slot].timer, spec.address());
  }

  /** CPU time that the thread has used, in ns; −1 if it has ended. */
  public long cpuOf(int tid) {
    return cpuTime.ofThread(tid);
  }

  /**
   * The CPU time that a sample stands for, in ns; call it once for each sample, since it also ends
   * the thread's youth. A young thread's first samples stand for a tick each, which is right on
   * average however short its life; from the third on they stand for what it has used, plus what it
   * had used at the first, as on average it uses as much after its last tick as before its first.
   *
   * @param overrun expiries beyond the first that the kernel reported
   */
  public long weigh(long identity, int overrun) {
    int slot = (int) (identity >>> 32 + GENERATION_BITS);
    boolean present = slot < slots && identity(slot) == identity;
    if ((identity & YOUNG) != 0) {
      return (long) ((present ? weighYoung(slot, overrun) : tickNanos) / youngShare);
    }
    long weight = (1L + overrun) * intervalNanos;
    if (present) {
      weight += all[slot].missed;
      all[slot].missed = 0;
    }
    return weight;
  }

  /** Makes the thread's later samples not {@link #isNew}, unless this one is of its youth. */
  public void deliver(long identity) {
    int slot = (int) (identity >>> 32 + GENERATION_BITS);
    if ((identity & YOUNG) == 0 && slot < slots && identity(slot) == identity) {
      all[slot].delivered = true;
    }
  }

  /**
   * Whether a sample is of the thread's youth, or none later was {@linkplain #deliver delivered}.
   */
  public boolean isNew(long identity) {
    int slot = (int) (identity >>> 32 + GENERATION_BITS);
    return (identity & YOUNG) != 0
        || slot >= slots
        || identity(slot) != identity
        || !all[slot].delivered;
  }

  private long weighYoung(int slot, int overrun) {
    Slot of = all[slot];
    long gap = (1L + overrun) * youngInterval();
    if (of.taken++ == 0) {
      gap -= youngInterval() / 2; // the first expiry was due at once
      of.firstGap = gap;
    }
    of.used += gap;
    long all = of.taken <= FIRST ? of.taken * tickNanos : of.used + of.firstGap;
    long weight = Math.max(youngInterval(), all - of.weighed);
    of.weighed += weight;
    if (--of.young == 0) {
      // The timer first: a signal under way must not stand for an interval.
      setToInterval(slot, 0);
      memory.setIdentity(slot, identity(slot));
    }
    return weight;
  }

  /** The thread id of a sample. */
  public static int tid(long identity) {
    return (int) (identity & TID_MASK);
  }

  private long identity(int slot) {
    int generation = all[slot].generation & (1 << GENERATION_BITS) - 1;
    return (long) slot << 32 + GENERATION_BITS
        | (long) generation << 32
        | (all[slot].young > 0 ? YOUNG : 0)
        | all[slot].tid;
  }

  /** Marks the thread as listed; false if it has no slot. */
  public boolean see(int tid) {
    int slot = find(tid);
    if (slot == NO_SLOT) {
      return false;
    }
    all[slot].seen = true;
    return true;
  }

  /** Removes all threads that were not listed since the last call, as ended. */
  public void sweep(List<Integer> ended) {
    for (int slot = 0; slot < slots; slot++) {
      if (all[slot].tid != 0 && !all[slot].seen) {
        ended.add(all[slot].tid);
        release(slot);
      }
      all[slot].seen = false;
    }
  }

  /**
   * Whether the thread's timer is disarmed, so that it belongs to a former thread of the same id:
   * an armed timer's remaining time is never 0.
   */
  public boolean isStale(int tid) {
    int slot = find(tid);
    return slot != NO_SLOT
        && hasTimer(slot)
        && calls.timerGettime(all[slot].timer, spec.address()) == 0
        && spec.bytes().getLong(16) == 0
        && spec.bytes().getLong(24) == 0;
  }

  /** Removes a thread that has ended, with its timer. */
  public void detach(int tid) {
    int slot = find(tid);
    if (slot != NO_SLOT) {
      release(slot);
    }
  }

  private void release(int slot) {
    if (hasTimer(slot)) {
      calls.timerDelete(all[slot].timer);
      live--;
    } else {
      skipped--;
    }
    leave(slot);
  }

  /** Deletes all timers; signals may still be under way. */
  public void deleteTimers() {
    for (int slot = 0; slot < slots; slot++) {
      if (all[slot].tid != 0 && hasTimer(slot)) {
        calls.timerDelete(all[slot].timer);
      }
    }
  }

  /**
   * Invalidates all blocks; call it after {@link #deleteTimers}, when no signal is under way any
   * more.
   */
  @Override
  public void close() {
    for (int slot = 0; slot < slots; slot++) {
      memory.closeBlock(slot);
    }
    event.close();
    spec.close();
    words.close();
    cpuTime.close();
  }

  private int takeSlot() {
    if (!free.isEmpty()) {
      return free.remove();
    }
    if (slots == HandlerMemory.BLOCKS) {
      return NO_SLOT;
    }
    if (slots == all.length) {
      all = Arrays.copyOf(all, 2 * slots);
    }
    all[slots] = new Slot();
    return slots++;
  }

  private void giveSlot(int slot) {
    all[slot].tid = 0;
    free.add(slot);
  }

  private int find(int tid) {
    int found = index.first(hash(tid));
    return found == HashIndex.NONE ? NO_SLOT : index.at(found);
  }

  /** Unique for each id, because the factor is odd. */
  private static int hash(int tid) {
    return tid * 0x9E3779B9;
  }
}
