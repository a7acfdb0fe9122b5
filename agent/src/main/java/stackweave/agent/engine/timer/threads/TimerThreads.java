package stackweave.agent.engine.timer.threads;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import stackweave.agent.engine.timer.handler.HandlerMemory;
import stackweave.agent.linux.Errno;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;
import stackweave.agent.linux.SystemCalls;

/**
 * The threads that have a timer: a timer on the thread's CPU clock that sends the signal to that
 * thread, and a block that the signal's value points at. For the drain thread only.
 *
 * <p>A new thread may be gone before an interval is over, and what it uses after its last tick is
 * not noticed by any timer. So in its youth, its first {@link #YOUTH} ticks, it is sampled at every
 * tick that it runs at. Its first samples stand for a tick each, which is right on the average
 * however short the thread's life is; with the third, its samples begin to stand for what it has
 * used, and for once more what it had used at the first: on the average it uses as much after its
 * last tick as before its first. Where intervals are much longer than ticks, only a share of the
 * new threads is sampled in its youth, and stands for the others. Afterwards each expiry stands for
 * an interval, the first one being due at a random moment of the first interval.
 *
 * <p>What a thread had used before it was found is made good with its first sample's weight. Its
 * timer is set relative to the thread's clock of that moment: set to an absolute time that has
 * passed, it would send its signal at once, also to a thread that blocks in a system call, and some
 * calls then fail with EINTR. Relative, it never expires but in a thread that runs.
 */
public final class TimerThreads implements AutoCloseable {
  private static final int SIGEV_THREAD_ID = 4;
  private static final int SIGEVENT_BYTES = 64;
  private static final int ITIMERSPEC_BYTES = 32;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;
  private static final int NO_SLOT = -1;

  /** Of a thread that is not sampled, for it can't take the signal. */
  private static final int NO_TIMER = -1;

  private static final int GENERATION_BITS = 15;

  /** Of an identity: the sample is one of the thread's youth. Above all thread ids (2²²). */
  private static final long YOUNG = 1L << 31;

  private static final long TID_MASK = YOUNG - 1;

  /** How many ticks a thread is young. */
  private static final int YOUTH = 8;

  /** So many samples stand for a tick each. */
  private static final int FIRST = 2;

  /** At intervals of up to so many ticks, all new threads are sampled in their youth. */
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
  private final NativeBuffer words = NativeBuffer.allocate(16);

  /** By slot, which is also the number of the block. Free slots have thread id 0. */
  private int[] tids = new int[256];

  private int[] timers = new int[256];
  private int[] generations = new int[256];
  private boolean[] seen = new boolean[256];

  /** Samples of its youth that are still to come before the thread's timer gets its interval. */
  private int[] young = new int[256];

  /** Samples of its youth so far. */
  private int[] taken = new int[256];

  /** CPU time between the start of a young thread's timer and its last sample, in ns. */
  private long[] used = new long[256];

  /** The same to its first sample. */
  private long[] firstGaps = new long[256];

  /** CPU time since the start of a young thread's timer that its samples stand for, in ns. */
  private long[] weighed = new long[256];

  /** CPU time that the next sample makes good, in ns; of threads that are not young. */
  private long[] missed = new long[256];

  /** Free slots, the longest free first. */
  private final int[] free = new int[HandlerMemory.BLOCKS];

  private int freeHead;
  private int freeCount;
  private int slots;
  private int live;
  private int skipped;
  private int errno;

  /** Thread id → slot + 1, by open addressing. */
  private int[] table = new int[1024];

  public TimerThreads(SystemCalls calls, HandlerMemory memory, int signal, long intervalNanos) {
    this.calls = calls;
    this.memory = memory;
    this.signal = signal;
    this.intervalNanos = intervalNanos;
    this.tickNanos = CpuTimers.tickNanos();
    this.youngShare = Math.min(1, (double) DENSE * tickNanos / intervalNanos);
  }

  /** Threads that have a timer. */
  public int live() {
    return live;
  }

  /** Threads that have none, for they can't take the signal. */
  public int skipped() {
    return skipped;
  }

  /** Why {@link #attach} failed last. */
  public int errno() {
    return errno;
  }

  /**
   * Gives a thread its timer, which {@link #begin} then starts. A timer is its thread's for ever,
   * whoever gets the id later: what is found out of the thread from here on is of the thread that
   * has the timer, or the timer never expires.
   *
   * @return false if the kernel gives none; {@link #errno} has the reason
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
    timers[slot] = timer;
    live++;
    memory.openBlock(slot, identity(slot));
    return true;
  }

  /**
   * Takes a thread in without a timer: one that can't take the signal. It counts as {@link
   * #skipped}.
   *
   * @return its slot; negative if there is none left
   */
  public int skip(int tid) {
    int slot = enter(tid);
    if (slot != NO_SLOT) {
      timers[slot] = NO_TIMER;
      skipped++;
    }
    return slot;
  }

  private int enter(int tid) {
    int slot = takeSlot();
    if (slot == NO_SLOT) {
      errno = Errno.EAGAIN;
      return NO_SLOT;
    }
    generations[slot]++;
    tids[slot] = tid;
    young[slot] = 0;
    timers[slot] = NO_TIMER;
    seen[slot] = true;
    insert(tid, slot);
    return slot;
  }

  private void leave(int slot) {
    memory.closeBlock(slot);
    remove(tids[slot]);
    giveSlot(slot);
  }

  /**
   * Starts the timer of a thread that was attached.
   *
   * @param stackEnd 0 if the stack is not known
   * @param accountedFrom the thread's CPU time, in ns, from which on what it has used is to be
   *     accounted for: 0 for all since its birth; negative for nothing
   */
  public void begin(int tid, long stackStart, long stackEnd, long accountedFrom) {
    int slot = find(tid);
    if (slot == NO_SLOT || timers[slot] == NO_TIMER) {
      return;
    }
    memory.setStack(slot, stackStart, stackEnd);
    start(slot, accountedFrom);
  }

  /** How far slots reach, free ones among them; for looking them through. */
  public int slots() {
    return slots;
  }

  /** The thread in a slot; 0 in a free one. */
  public int tidAt(int slot) {
    return tids[slot];
  }

  /** Where a thread is; negative if it was not taken in. */
  public int slot(int tid) {
    return find(tid);
  }

  /** Whether the thread in a slot has a timer. */
  public boolean hasTimer(int slot) {
    return timers[slot] != NO_TIMER;
  }

  /** Tells anew where the stack of a thread with a timer is; an end of 0: it is not known. */
  public void setStack(int tid, long stackStart, long stackEnd) {
    int slot = find(tid);
    if (slot != NO_SLOT && timers[slot] != NO_TIMER) {
      memory.changeStack(slot, stackStart, stackEnd);
    }
  }

  /**
   * Gives a thread that was skipped its timer after all, which {@link #begin} then starts.
   *
   * @return false if the kernel gives none; {@link #errno} has the reason
   */
  public boolean resume(int slot) {
    int timer = createTimer(tids[slot], memory.blockAddress(slot));
    if (timer < 0) {
      return false;
    }
    timers[slot] = timer;
    generations[slot]++;
    young[slot] = 0;
    live++;
    skipped--;
    memory.openBlock(slot, identity(slot));
    return true;
  }

  /** Takes the timer away from the thread in a slot, which can't take the signal any more. */
  public void suspend(int slot) {
    calls.timerDelete(timers[slot]);
    memory.closeBlock(slot);
    timers[slot] = NO_TIMER;
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
    if (calls.timerCreate(cpuClock(tid), event.address(), words.address()) < 0) {
      errno = Libc.errno();
      return -1;
    }
    return words.bytes().getInt(0);
  }

  /** MAKE_THREAD_CPUCLOCK of include/linux/posix-timers.h: all of the thread's CPU time. */
  public static int cpuClock(int tid) {
    return ~tid << 3 | 6;
  }

  private void start(int slot, long accountedFrom) {
    long before = accountedFrom < 0 ? 0 : Math.max(0, cpuOf(tids[slot]) - accountedFrom);
    long youthLeft = accountedFrom == 0 ? YOUTH * tickNanos - before : 0;
    missed[slot] = 0;
    if (youthLeft <= 0) {
      missed[slot] = before;
      setToInterval(slot, 0);
    } else if (random.nextDouble() < youngShare) {
      young[slot] = (int) Math.ceil((double) youthLeft / tickNanos);
      taken[slot] = 0;
      used[slot] = 0;
      weighed[slot] = -before;
      memory.setIdentity(slot, identity(slot));
      set(slot, 1, youngInterval());
    } else {
      setToInterval(slot, youthLeft);
    }
  }

  /** Shorter than what a thread uses between any two ticks that it runs at. */
  private long youngInterval() {
    return tickNanos / 4;
  }

  /** The kernel notices an expiry at its next tick, half a tick late on the average. */
  private void setToInterval(int slot, long delay) {
    set(slot, delay + random.nextLong(intervalNanos) - tickNanos / 2, intervalNanos);
  }

  /** Sets the timer, to expire after {@code first} and then at each interval. */
  private void set(int slot, long first, long interval) {
    long least = Math.max(1, first); // 0 would disarm it
    ByteBuffer bytes = spec.bytes();
    bytes.putLong(0, interval / NANOS_PER_SECOND);
    bytes.putLong(8, interval % NANOS_PER_SECOND);
    bytes.putLong(16, least / NANOS_PER_SECOND);
    bytes.putLong(24, least % NANOS_PER_SECOND);
    calls.timerSettime(timers[slot], spec.address());
  }

  /** CPU time that the thread has used, in ns; −1 if it has ended. */
  public long cpuOf(int tid) {
    if (Libc.clock_gettime(cpuClock(tid), words.address()) < 0) {
      return -1;
    }
    return words.bytes().getLong(0) * NANOS_PER_SECOND + words.bytes().getLong(Long.BYTES);
  }

  /**
   * The CPU time that a sample stands for, in ns. The last sample of a thread's youth also gives
   * the thread's timer its interval; to be called once for each sample.
   *
   * @param overrun expiries beyond the first that the kernel told of
   */
  public long weigh(long identity, int overrun) {
    int slot = (int) (identity >>> 32 + GENERATION_BITS);
    boolean present = slot < slots && identity(slot) == identity;
    if ((identity & YOUNG) != 0) {
      return (long) ((present ? weighYoung(slot, overrun) : tickNanos) / youngShare);
    }
    long weight = (1L + overrun) * intervalNanos;
    if (present) {
      weight += missed[slot];
      missed[slot] = 0;
    }
    return weight;
  }

  private long weighYoung(int slot, int overrun) {
    long gap = (1L + overrun) * youngInterval();
    if (taken[slot]++ == 0) {
      gap -= youngInterval() / 2; // the first expiry was due at once
      firstGaps[slot] = gap;
    }
    used[slot] += gap;
    long all = taken[slot] <= FIRST ? taken[slot] * tickNanos : used[slot] + firstGaps[slot];
    long weight = Math.max(youngInterval(), all - weighed[slot]);
    weighed[slot] += weight;
    if (--young[slot] == 0) {
      // First the timer: a signal on its way must not stand for intervals.
      setToInterval(slot, 0);
      memory.setIdentity(slot, identity(slot));
    }
    return weight;
  }

  /** The thread of a sample. */
  public static int tid(long identity) {
    return (int) (identity & TID_MASK);
  }

  private long identity(int slot) {
    int generation = generations[slot] & (1 << GENERATION_BITS) - 1;
    return (long) slot << 32 + GENERATION_BITS
        | (long) generation << 32
        | (young[slot] > 0 ? YOUNG : 0)
        | tids[slot];
  }

  /** Notes that the thread was listed; false if it has no timer. */
  public boolean see(int tid) {
    int slot = find(tid);
    if (slot == NO_SLOT) {
      return false;
    }
    seen[slot] = true;
    return true;
  }

  /** Takes all threads that were not seen since the last call for ended. */
  public void sweep(ThreadIds ended) {
    for (int slot = 0; slot < slots; slot++) {
      if (tids[slot] != 0 && !seen[slot]) {
        ended.add(tids[slot]);
        release(slot);
      }
      seen[slot] = false;
    }
  }

  /**
   * Whether the thread's timer stands still, for it belongs to a former thread of the same id: an
   * armed timer's remaining time is never 0.
   */
  public boolean isStale(int tid) {
    int slot = find(tid);
    return slot != NO_SLOT
        && timers[slot] != NO_TIMER
        && calls.timerGettime(timers[slot], spec.address()) == 0
        && spec.bytes().getLong(16) == 0
        && spec.bytes().getLong(24) == 0;
  }

  /** Takes the timer of a thread that has ended away. */
  public void detach(int tid) {
    int slot = find(tid);
    if (slot != NO_SLOT) {
      release(slot);
    }
  }

  private void release(int slot) {
    if (timers[slot] == NO_TIMER) {
      skipped--;
    } else {
      calls.timerDelete(timers[slot]);
      live--;
    }
    leave(slot);
  }

  /** Deletes all timers; signals that they have sent may still be on their way. */
  public void deleteTimers() {
    for (int slot = 0; slot < slots; slot++) {
      if (tids[slot] != 0 && timers[slot] != NO_TIMER) {
        calls.timerDelete(timers[slot]);
        timers[slot] = NO_TIMER;
      }
    }
  }

  /** Invalidates all blocks; after {@link #deleteTimers}, when no signal is on its way any more. */
  @Override
  public void close() {
    for (int slot = 0; slot < slots; slot++) {
      memory.closeBlock(slot);
    }
    event.close();
    spec.close();
    words.close();
  }

  private int takeSlot() {
    if (freeCount > 0) {
      int slot = free[freeHead];
      freeHead = (freeHead + 1) % free.length;
      freeCount--;
      return slot;
    }
    if (slots == HandlerMemory.BLOCKS) {
      return NO_SLOT;
    }
    if (slots == tids.length) {
      int length = 2 * slots;
      tids = Arrays.copyOf(tids, length);
      timers = Arrays.copyOf(timers, length);
      generations = Arrays.copyOf(generations, length);
      young = Arrays.copyOf(young, length);
      taken = Arrays.copyOf(taken, length);
      used = Arrays.copyOf(used, length);
      firstGaps = Arrays.copyOf(firstGaps, length);
      weighed = Arrays.copyOf(weighed, length);
      missed = Arrays.copyOf(missed, length);
      seen = Arrays.copyOf(seen, length);
    }
    return slots++;
  }

  private void giveSlot(int slot) {
    tids[slot] = 0;
    free[(freeHead + freeCount++) % free.length] = slot;
  }

  private int find(int tid) {
    int mask = table.length - 1;
    for (int i = home(tid, mask); table[i] != 0; i = (i + 1) & mask) {
      if (tids[table[i] - 1] == tid) {
        return table[i] - 1;
      }
    }
    return NO_SLOT;
  }

  private void insert(int tid, int slot) {
    if (4 * (live + skipped + 1) > 3 * table.length) {
      int[] old = table;
      table = new int[2 * old.length];
      for (int entry : old) {
        if (entry != 0) {
          place(tids[entry - 1], entry);
        }
      }
    }
    place(tid, slot + 1);
  }

  private void place(int tid, int entry) {
    int mask = table.length - 1;
    int i = home(tid, mask);
    while (table[i] != 0) {
      i = (i + 1) & mask;
    }
    table[i] = entry;
  }

  /** Closes the gap: an entry behind it that it kept from its own place moves up. */
  private void remove(int tid) {
    int mask = table.length - 1;
    int gap = home(tid, mask);
    while (tids[table[gap] - 1] != tid) {
      gap = (gap + 1) & mask;
    }
    for (int i = (gap + 1) & mask; table[i] != 0; i = (i + 1) & mask) {
      int home = home(tids[table[i] - 1], mask);
      if (((i - home) & mask) >= ((i - gap) & mask)) {
        table[gap] = table[i];
        gap = i;
      }
    }
    table[gap] = 0;
  }

  private static int home(int tid, int mask) {
    return (tid * 0x9E3779B9 >>> 7) & mask;
  }
}
