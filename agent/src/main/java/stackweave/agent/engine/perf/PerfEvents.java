package stackweave.agent.engine.perf;

import java.nio.ByteBuffer;
import java.util.Arrays;
import stackweave.agent.engine.EngineRefusedException;
import stackweave.agent.linux.CpuTime;
import stackweave.agent.linux.Errno;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;
import stackweave.agent.linux.SystemCalls;
import stackweave.agent.linux.Tasks;
import stackweave.jfr.control.EngineKind;

/**
 * The sampling events: one per thread and CPU, each writing into its CPU's ring.
 *
 * <p>One event per thread would be enough, but the kernel gives no ring to an event that is
 * inherited and on no CPU in particular. Threads started later inherit the events of the thread
 * that starts them and need no descriptor of their own.
 */
final class PerfEvents implements AutoCloseable {
  /** Keeps the descriptor out of child processes. */
  static final long FLAG_FD_CLOEXEC = 8;

  /** However many the application may open. */
  static final int MAX_FILE_DESCRIPTORS = 4096;

  static final long IOC_SET_OUTPUT = 0x2405;

  /**
   * Reading a count asks each of its heirs (kernel/events/core.c, __perf_event_read_value), so what
   * it costs grows with CPUs and threads: it is paused for so many times as long as it took, which
   * is half a percent of a core.
   */
  private static final int READING_PAUSE = 200;

  /** In a storm of threads every look finds new ones; inheritance covers those of later looks. */
  private static final int MAX_SCANS = 16;

  private final SystemCalls calls;
  private final EngineKind engine;
  private final NativeBuffer attr;
  private final boolean lostCount;
  private final NativeBuffer scratch = NativeBuffer.allocate(32);
  private int[] fds = new int[64];
  private int fdCount;
  private int threads;
  private int descriptors;
  private long countedNanos;
  private long lost;
  private long readAt = System.nanoTime();
  private long readingNanos;
  private boolean released;

  /**
   * @param attr a sampling attr; read until {@link #attach} has returned
   * @param lostCount whether the attr asks for the number of lost records
   */
  PerfEvents(SystemCalls calls, EngineKind engine, NativeBuffer attr, boolean lostCount) {
    this.calls = calls;
    this.engine = engine;
    this.attr = attr;
    this.lostCount = lostCount;
  }

  /**
   * Attaches all threads but one: looks at the list of tasks until a look finds none that is new.
   *
   * @param except the drain thread: it would sample itself, and its children would inherit that
   * @param budget how many descriptors may be taken
   */
  void attach(PerfRing[] rings, int except, int budget) throws EngineRefusedException {
    int[] known = {except};
    for (int scan = 0; scan < MAX_SCANS; scan++) {
      int[] found = Tasks.list();
      int fresh = 0;
      for (int tid : found) {
        if (Arrays.binarySearch(known, tid) < 0) {
          found[fresh++] = tid;
        }
      }
      if (fresh == 0) {
        break;
      }
      if (fdCount + (long) fresh * rings.length > budget) {
        throw PerfRefusals.budget(
            engine, threads + fresh, rings.length, budget, MAX_FILE_DESCRIPTORS);
      }
      for (int i = 0; i < fresh; i++) {
        attach(rings, found[i]);
      }
      int old = known.length;
      known = Arrays.copyOf(known, old + fresh);
      System.arraycopy(found, 0, known, old, fresh);
      Arrays.sort(known);
    }
  }

  private void attach(PerfRing[] rings, int tid) throws EngineRefusedException {
    boolean attached = false;
    for (PerfRing ring : rings) {
      int fd = calls.perfEventOpen(attr.address(), tid, ring.cpu(), -1, FLAG_FD_CLOEXEC);
      if (fd < 0) {
        int errno = Libc.errno();
        if (errno == Errno.ESRCH) {
          break;
        }
        if (errno == Errno.ENODEV) {
          continue;
        }
        throw PerfRefusals.open(engine, engine == EngineKind.PERF, errno);
      }
      add(fd);
      if (Libc.ioctl(fd, IOC_SET_OUTPUT, ring.fd()) < 0) {
        throw PerfRefusals.open(engine, engine == EngineKind.PERF, Libc.errno());
      }
      attached = true;
    }
    threads += attached ? 1 : 0;
  }

  private void add(int fd) {
    if (fdCount == fds.length) {
      fds = Arrays.copyOf(fds, 2 * fdCount);
    }
    fds[fdCount++] = fd;
    descriptors++;
  }

  /** Threads attached, those that have ended since included. */
  int threads() {
    return threads;
  }

  /** Those taken, also when they are given back. */
  int fileDescriptors() {
    return descriptors;
  }

  /** {@link #readCounts}, unless the last time is too short ago for what that cost. */
  void readCountsInTime(CpuTime cpuTime) {
    if (System.nanoTime() - readAt < READING_PAUSE * readingNanos) {
      return;
    }
    long before = cpuTime.ofThread();
    readCounts();
    readingNanos = cpuTime.ofThread() - before;
    readAt = System.nanoTime();
  }

  /**
   * Asks the kernel for all counts: the events', and those of all that inherited from them. After
   * {@link #release} they stay what they were.
   */
  void readCounts() {
    if (released) {
      return;
    }
    ByteBuffer bytes = scratch.bytes();
    int length = lostCount ? 16 : 8;
    long counted = 0;
    long lostRecords = 0;
    for (int i = 0; i < fdCount; i++) {
      if (Libc.read(fds[i], scratch.address(), length) == length) {
        counted += bytes.getLong(0);
        lostRecords += lostCount ? bytes.getLong(8) : 0;
      }
    }
    countedNanos = counted;
    lost = lostRecords;
  }

  /** CPU time that the events ran, at the last {@link #readCounts}. */
  long countedNanos() {
    return countedNanos;
  }

  /** Records that found no room, at the last {@link #readCounts}; 0 where it can't be asked. */
  long lost() {
    return lost;
  }

  /** Closes all events, also those that were inherited: from here on no thread has any. */
  void release() {
    released = true;
    for (int i = 0; i < fdCount; i++) {
      Libc.close(fds[i]);
    }
    fdCount = 0;
  }

  @Override
  public void close() {
    release();
    scratch.close();
  }
}
