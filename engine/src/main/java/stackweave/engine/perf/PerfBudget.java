package stackweave.engine.perf;

import stackweave.engine.EngineRefusedException;
import stackweave.jfr.control.EngineKind;
import stackweave.linux.SystemCalls;
import stackweave.linux.ThreadCount;

/**
 * Limits the cost of inherited perf events: each thread has one for every CPU, which takes kernel
 * memory that nothing else limits, and time when a thread starts and ends. perf may begin if the
 * present threads take at most a quarter of the budget, must end when they take half, and may
 * return at an eighth, so the number of threads can double before it ends. After an end it pauses
 * for {@link #FIRST_PAUSE_NANOS}, doubled each time up to {@link #MAX_PAUSE_NANOS}. Shared by the
 * engines of a drain thread; for that thread only.
 */
public final class PerfBudget implements AutoCloseable {
  /** The default budget, in bytes. */
  public static final long DEFAULT_BYTES = 64L << 20;

  /** Kernel memory of one inherited event: struct perf_event of Linux 6.18 (/proc/slabinfo). */
  static final int EVENT_BYTES = 1_400;

  /** CPU time of an inherited event for a thread's start and end, in ns (docs/engines.md). */
  static final int EVENT_NANOS = 5_500;

  /** How long the number of threads may be left unwatched, at least and at most. */
  static final long MIN_WATCH_NANOS = 2_000_000;

  static final long MAX_WATCH_NANOS = 40_000_000;

  /** More threads than a process starts in a millisecond: one takes 20 µs or more of a core. */
  private static final long STARTS_PER_MILLI = 50;

  /** The period over which thread starts are counted. */
  static final long STARTS_NANOS = 5_000_000_000L;

  /** CPU time that inheriting may cost in that period: a tenth of a core. */
  static final long STARTS_BUDGET_NANOS = STARTS_NANOS / 10;

  static final long FIRST_PAUSE_NANOS = 10_000_000_000L;
  static final long MAX_PAUSE_NANOS = 640_000_000_000L;

  /** After running for so long, the next pause is short again. */
  private static final long STEADY_NANOS = 120_000_000_000L;

  private final long bytes;
  private final ThreadCount count;
  private int lastCount = 1;
  private long pauseNanos = FIRST_PAUSE_NANOS;

  /** When perf was refused or ended, and when it last began. */
  private long waitingSince;

  private long runningSince;

  /** Whether it ended because of the budget and must pause. */
  private boolean left;

  private boolean refused;
  private int refusedCpus;

  /**
   * @param bytes limit of the kernel's memory for inherited events
   */
  public PerfBudget(long bytes) {
    this.bytes = bytes;
    SystemCalls calls = SystemCalls.current().orElse(null);
    this.count = calls == null ? null : new ThreadCount(calls);
  }

  /** Limit of the kernel's memory for inherited events, in bytes. */
  long bytes() {
    return bytes;
  }

  /** The present number of threads of this process. */
  int threads() {
    int now = count == null ? -1 : count.read();
    lastCount = now < 0 ? lastCount : now;
    return lastCount;
  }

  /** Kernel memory of the events of all these threads, in bytes. */
  static long estimate(int threads, int eventsPerThread) {
    return (long) threads * eventsPerThread * EVENT_BYTES;
  }

  /**
   * Checks whether perf may begin.
   *
   * @throws EngineRefusedException if it would take too much, or ended for that reason a short time
   *     ago
   */
  void admit(EngineKind kind, int cpus, long nowNanos) throws EngineRefusedException {
    int threads = threads();
    boolean tooSoon = left && nowNanos - waitingSince < pauseNanos;
    boolean tooMany = estimate(threads, cpus) > bytes / 4;
    // Until it runs: a later step may refuse it, too.
    refused = true;
    refusedCpus = cpus;
    if (!left) {
      waitingSince = nowNanos;
    }
    if (tooMany) {
      throw PerfRefusals.kernelMemory(kind, threads, cpus, bytes);
    }
    if (tooSoon) {
      throw PerfRefusals.endedLately(kind, cpus, bytes);
    }
  }

  /** perf has begun. */
  void begun(long nowNanos) {
    refused = false;
    left = false;
    runningSince = nowNanos;
  }

  /** Whether perf must end with this number of threads and events. */
  boolean isMet(int threads, int eventsPerThread) {
    return estimate(threads, eventsPerThread) > bytes / 2;
  }

  /** Whether threads are so many that they should be counted often. */
  boolean isNear(int eventsPerThread) {
    return estimate(lastCount, eventsPerThread) > bytes / 8;
  }

  /**
   * How long the number of threads may be left unwatched: they must not take an eighth of the
   * budget meanwhile.
   */
  long watchNanos(int eventsPerThread) {
    if (isNear(eventsPerThread)) {
      return MIN_WATCH_NANOS;
    }
    long nanos = bytes / 8 * 1_000_000 / estimate((int) STARTS_PER_MILLI, eventsPerThread);
    return Math.max(MIN_WATCH_NANOS, Math.min(MAX_WATCH_NANOS, nanos));
  }

  /** perf ended because of the budget. */
  void leave(long nowNanos) {
    if (nowNanos - runningSince > STEADY_NANOS) {
      pauseNanos = FIRST_PAUSE_NANOS;
    }
    left = true;
    waitingSince = nowNanos;
  }

  /**
   * Whether to try perf again after it was refused: it would be well within the budget and the file
   * descriptors. Each true doubles the time until the next.
   */
  public boolean isFreeAgain(long nowNanos) {
    if (!refused || nowNanos - waitingSince < pauseNanos) {
      return false;
    }
    int threads = threads();
    boolean free =
        estimate(threads, refusedCpus) <= bytes / 8
            && (long) threads * refusedCpus <= PerfEvents.MAX_FILE_DESCRIPTORS * 3 / 4;
    if (free) {
      left = false;
      waitingSince = nowNanos;
      pauseNanos = Math.min(2 * pauseNanos, MAX_PAUSE_NANOS);
    }
    return free;
  }

  /** CPU time for starting and ending these inherited events, in ns. */
  static long startNanos(long events) {
    return events * EVENT_NANOS;
  }

  @Override
  public void close() {
    if (count != null) {
      count.close();
    }
  }
}
