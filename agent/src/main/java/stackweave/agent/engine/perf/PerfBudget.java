package stackweave.agent.engine.perf;

import stackweave.agent.engine.EngineRefusedException;
import stackweave.agent.linux.SystemCalls;
import stackweave.agent.linux.ThreadCount;
import stackweave.jfr.control.EngineKind;

/**
 * What inherited events may cost: memory of the kernel, which has no limit or counter of its own
 * for them, and time whenever a thread is started and ends. Each thread has an event for every CPU,
 * whether it ever runs there or not.
 *
 * <p>The rule: perf begins where the threads there are take no more than a quarter of the budget,
 * ends when they take half, and comes back when they take no more than an eighth. So threads can
 * double in number before it ends; the other half is for those that start until their number is
 * looked at, and while the events are being closed. What was left is tried again after {@link
 * #FIRST_PAUSE_NANOS} at the earliest, and each further time after twice as long, up to {@link
 * #MAX_PAUSE_NANOS}, until it has run for {@link #STEADY_NANOS}.
 *
 * <p>Outlives the engines that keep to it. For the drain thread only.
 */
public final class PerfBudget implements AutoCloseable {
  /** In bytes. */
  public static final long DEFAULT_BYTES = 64L << 20;

  /**
   * Of the kernel's memory for one inherited event: struct perf_event, 1352 bytes in Linux 6.18
   * (/proc/slabinfo, 12 objects in 16 KiB; 5.10 has 1144), and its share of the thread's
   * perf_event_context and perf_event_pmu_context. {@code ManyThreads} of the benchmarks measures
   * it.
   */
  static final int EVENT_BYTES = 1_400;

  /**
   * CPU time that an inherited event costs a thread's start and end together, in ns: on 128 CPUs
   * 750 µs instead of 55 were measured on a quiet machine with Linux 6.18. A high estimate.
   */
  static final int EVENT_NANOS = 5_500;

  /** How long the number of threads may be left unwatched. */
  static final long WATCH_NANOS = 2_000_000;

  /** Thread starts are looked at over so long. */
  static final long STARTS_NANOS = 5_000_000_000L;

  /** What inheriting may cost in that time: a tenth of a core. */
  static final long STARTS_BUDGET_NANOS = STARTS_NANOS / 10;

  static final long FIRST_PAUSE_NANOS = 10_000_000_000L;
  static final long MAX_PAUSE_NANOS = 640_000_000_000L;

  /** After so long without being left, a pause is short again. */
  private static final long STEADY_NANOS = 120_000_000_000L;

  private final long bytes;
  private final ThreadCount count;
  private int lastCount = 1;
  private long pauseNanos = FIRST_PAUSE_NANOS;

  /** Since when perf is waited for, and since when it runs. */
  private long waitingSince;

  private long runningSince;

  /** Whether it has ended for the budget's sake, and is not to be tried at once. */
  private boolean left;

  private boolean refused;
  private int refusedCpus;

  /**
   * @param bytes memory of the kernel for inherited events
   */
  public PerfBudget(long bytes) {
    this.bytes = bytes;
    this.count = SystemCalls.current().map(ThreadCount::new).orElse(null);
  }

  /** Memory of the kernel that inherited events may take, in bytes. */
  long bytes() {
    return bytes;
  }

  /** Threads of this process at the moment. */
  int threads() {
    int now = count == null ? -1 : count.read();
    lastCount = now < 0 ? lastCount : now;
    return lastCount;
  }

  /** What so many threads with so many events each take, in bytes. */
  static long estimate(int threads, int eventsPerThread) {
    return (long) threads * eventsPerThread * EVENT_BYTES;
  }

  /**
   * Permits perf to begin.
   *
   * @throws EngineRefusedException if it would take too much, or has just been left for that
   */
  void admit(EngineKind kind, int cpus, long nowNanos) throws EngineRefusedException {
    int threads = threads();
    boolean tooSoon = left && nowNanos - waitingSince < pauseNanos;
    boolean tooMany = estimate(threads, cpus) > bytes / 4;
    // Until it runs: what comes behind this may refuse it, too.
    refused = true;
    refusedCpus = cpus;
    if (!left) {
      waitingSince = nowNanos;
    }
    if (tooMany) {
      throw PerfRefusals.kernelMemory(kind, threads, cpus, bytes);
    }
    if (tooSoon) {
      throw PerfRefusals.leftLately(kind, cpus, bytes);
    }
  }

  /** Perf runs. */
  void begun(long nowNanos) {
    refused = false;
    left = false;
    runningSince = nowNanos;
  }

  /** Whether perf has to end now, with so many events for each of so many threads. */
  boolean isMet(int threads, int eventsPerThread) {
    return estimate(threads, eventsPerThread) > bytes / 2;
  }

  /** Whether threads are so many that their number may soon matter. */
  boolean isNear(int eventsPerThread) {
    return estimate(lastCount, eventsPerThread) > bytes / 8;
  }

  /** Perf ended for the budget's sake. */
  void leave(long nowNanos) {
    if (nowNanos - runningSince > STEADY_NANOS) {
      pauseNanos = FIRST_PAUSE_NANOS;
    }
    left = true;
    waitingSince = nowNanos;
  }

  /**
   * Whether perf, which was refused before, is to be tried now: it would be well within the budget,
   * and within the file descriptors. Once it is true, the next time is twice as far away.
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

  /** For so much CPU time so many inherited events are started and ended. */
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
