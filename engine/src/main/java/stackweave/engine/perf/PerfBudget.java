package stackweave.engine.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.RefusalText;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;
import stackweave.linux.task.TaskFiles;

/**
 * Limits the cost of inherited perf events: each thread has one for every CPU, which takes kernel
 * memory that nothing else limits, and time when a thread starts and ends. An engine may begin if
 * the present threads take at most a quarter of the budget, must end when they take half, and may
 * return at an eighth, so that the number of threads can double before it ends. After an end it
 * pauses for a minute. Shared by the engines of a drain thread; for that thread only.
 */
public final class PerfBudget implements AutoCloseable {
  /** The default budget, in bytes. */
  public static final long DEFAULT_BYTES = 64L << 20;

  /** Kernel memory of one inherited event: struct perf_event of Linux 6.18 (/proc/slabinfo). */
  static final int EVENT_BYTES = 1_400;

  /** How long perf pauses after it was refused or has ended. */
  private static final long PAUSE_NANOS = 60_000_000_000L;

  /** Its link count is 2 plus the number of threads (proc_task_getattr in fs/proc/base.c). */
  private static final int OWN_LINKS = 2;

  private final Path tasks;

  private final long bytes;

  /** Null on a processor that no engine supports. */
  private final TaskFiles files;

  /** One of the threads. */
  private final int tid;

  private int lastCount = 1;

  /** When perf was refused or ended. */
  private long waitingSince;

  /** Whether it ended because of the budget and must pause. */
  private boolean left;

  private boolean refused;
  private int refusedCpus;

  /** Of this process. */
  public PerfBudget(long bytes) {
    this(bytes, SampledProcess.OWN);
  }

  /**
   * @param bytes limit of the kernel's memory for inherited events
   * @param process whose threads inherit them
   */
  public PerfBudget(long bytes, SampledProcess process) {
    this.bytes = bytes;
    this.tasks = Path.of(process.file("task"));
    SystemCalls calls = SystemCalls.current().orElse(null);
    this.files = calls == null ? null : new TaskFiles(calls, process);
    this.tid = process.pid();
  }

  /** Limit of the kernel's memory for inherited events, in bytes. */
  long bytes() {
    return bytes;
  }

  /** The present number of threads of the process. */
  int threads() {
    int now = files == null ? -1 : files.threadCount(tid);
    now = now < 0 ? links() - OWN_LINKS : now;
    lastCount = now < 0 ? lastCount : now;
    return lastCount;
  }

  /** The link count. Needs no file descriptor, but allocates; 0 if it can't be read. */
  private int links() {
    try {
      return (int) Files.getAttribute(tasks, "unix:nlink");
    } catch (IOException e) {
      return 0;
    }
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
    boolean tooSoon = left && nowNanos - waitingSince < PAUSE_NANOS;
    boolean tooMany = estimate(threads, cpus) > bytes / 4;
    // Reset when it runs: a later step may refuse it, too.
    refused = true;
    refusedCpus = cpus;
    if (!left) {
      waitingSince = nowNanos;
    }
    if (tooMany) {
      throw PerfRefusals.kernelMemory(kind, threads, cpus, bytes);
    }
    if (tooSoon) {
      throw RefusalText.PERF_ENDED_LATELY.of(kind, 0, cpus, bytes >> 20);
    }
  }

  /** perf has begun. */
  void begun() {
    refused = false;
    left = false;
  }

  /** Whether perf must end with this number of threads and events. */
  boolean isMet(int threads, int eventsPerThread) {
    return estimate(threads, eventsPerThread) > bytes / 2;
  }

  /** perf ended because of the budget. */
  void leave(long nowNanos) {
    left = true;
    waitingSince = nowNanos;
  }

  /**
   * Whether to try perf again after it was refused: it would be well within the budget and the file
   * descriptors. After each look it pauses again.
   */
  public boolean isFreeAgain(long nowNanos) {
    if (!refused || nowNanos - waitingSince < PAUSE_NANOS) {
      return false;
    }
    int threads = threads();
    boolean free =
        estimate(threads, refusedCpus) <= bytes / 8
            && (long) threads * refusedCpus <= fileDescriptors() * 3L / 4;
    waitingSince = nowNanos;
    if (free) {
      left = false;
    }
    return free;
  }

  private static int fileDescriptors() {
    try (NativeBuffer scratch = NativeBuffer.allocate(2 * Long.BYTES)) {
      return PerfEvents.fileDescriptorBudget(scratch);
    }
  }

  @Override
  public void close() {
    if (files != null) {
      files.close();
    }
  }
}
