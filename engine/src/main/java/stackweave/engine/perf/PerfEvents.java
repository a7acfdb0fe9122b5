package stackweave.engine.perf;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.bpf.Bpf;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.CpuTime;
import stackweave.linux.Errno;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;
import stackweave.linux.Tasks;

/**
 * The sampling events: one per thread and CPU, each writing into its CPU's ring. One event per
 * thread would not do, because the kernel gives no ring to an inherited event that is not bound to
 * a CPU. Threads started later inherit the events of the starting thread and need no descriptor.
 * Used by {@link PerfThreadEngine} on the drain thread.
 */
final class PerfEvents implements AutoCloseable {
  /** Closes the descriptor on exec. */
  static final long FLAG_FD_CLOEXEC = 8;

  /** Limit of descriptors for events, however many the application may open. */
  static final int MAX_FILE_DESCRIPTORS = 4096;

  static final long IOC_SET_OUTPUT = 0x2405;

  /** Pause between two readings of the counts, in multiples of their CPU time: 0.5 % of a core. */
  private static final int READING_PAUSE = 200;

  /**
   * Limit of scans of the task list while threads keep starting; those of later scans inherit their
   * events.
   */
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

  /** A BPF program that decides which samples are taken; −1 for none. */
  private int filter = -1;

  /**
   * Opens an event on a thread to learn the features that the kernel has.
   *
   * @param attr where the event is written
   * @param newest the first features that are tried
   * @param write writes the event with given features
   * @throws EngineRefusedException if the kernel refuses it with any of them
   */
  static PerfAttr.Features probe(
      SystemCalls calls,
      EngineKind engine,
      NativeBuffer attr,
      int tid,
      PerfAttr.Features newest,
      Consumer<PerfAttr.Features> write)
      throws EngineRefusedException {
    int errno = 0;
    for (PerfAttr.Features candidate : PerfAttr.Features.values()) {
      if (candidate.compareTo(newest) < 0) {
        continue;
      }
      write.accept(candidate);
      int fd = calls.perfEventOpen(attr.address(), tid, -1, -1, FLAG_FD_CLOEXEC);
      if (fd >= 0) {
        Libc.close(fd);
        return candidate;
      }
      errno = Libc.errno();
      if (errno != Errno.EINVAL) {
        break;
      }
    }
    throw PerfRefusals.open(engine, engine == EngineKind.PERF_THREAD, errno);
  }

  /**
   * @param attr a sampling attr, which must stay unchanged until {@link #attach} has returned
   * @param lostCount whether the attr asks for the number of lost records
   */
  PerfEvents(SystemCalls calls, EngineKind engine, NativeBuffer attr, boolean lostCount) {
    this.calls = calls;
    this.engine = engine;
    this.attr = attr;
    this.lostCount = lostCount;
  }

  /** Sets the BPF program that decides about samples of events that are attached from now on. */
  void setFilter(int program) {
    filter = program;
  }

  /**
   * Attaches all threads of a process but one, by scanning the task list until no new one appears.
   *
   * @param except the drain thread, which must neither be sampled nor have events that its children
   *     inherit
   * @param budget how many descriptors may be taken
   */
  void attach(SampledProcess process, PerfRing[] rings, int except, int budget)
      throws EngineRefusedException {
    Set<Integer> known = new HashSet<>(Set.of(except));
    for (int scan = 0; scan < MAX_SCANS; scan++) {
      List<Integer> fresh = new ArrayList<>();
      for (int tid : Tasks.list(process)) {
        if (known.add(tid)) {
          fresh.add(tid);
        }
      }
      if (fresh.isEmpty()) {
        break;
      }
      if (fdCount + (long) fresh.size() * rings.length > budget) {
        throw PerfRefusals.budget(
            engine, threads + fresh.size(), rings.length, budget, MAX_FILE_DESCRIPTORS);
      }
      for (int tid : fresh) {
        attach(rings, tid);
      }
    }
  }

  /**
   * File descriptors for events: at most a quarter of those that the application has left.
   *
   * @param scratch 16 bytes
   */
  static int fileDescriptorBudget(NativeBuffer scratch) {
    int open = Tasks.openFileDescriptors();
    if (open < 0 || Libc.getrlimit(Libc.RLIMIT_NOFILE, scratch.address()) < 0) {
      return MAX_FILE_DESCRIPTORS / 4;
    }
    long limit = scratch.bytes().getLong(0);
    long free = limit < 0 ? Long.MAX_VALUE : Math.max(0, limit - open);
    return (int) Math.min(MAX_FILE_DESCRIPTORS, free / 4);
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
        throw PerfRefusals.open(engine, engine == EngineKind.PERF_THREAD, errno);
      }
      add(fd);
      if (Libc.ioctl(fd, IOC_SET_OUTPUT, ring.fd()) < 0 || filter >= 0 && !Bpf.attach(fd, filter)) {
        throw PerfRefusals.open(engine, engine == EngineKind.PERF_THREAD, Libc.errno());
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

  /** Threads attached, including those that have ended since. */
  int threads() {
    return threads;
  }

  /** Descriptors taken; unchanged by {@link #release}. */
  int fileDescriptors() {
    return descriptors;
  }

  /** Calls {@link #readCounts} unless the last call was too recent for its cost. */
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
   * Reads the counts of all events, which include those inherited from them. No effect after {@link
   * #release}.
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

  /** CPU time that the events counted, in ns, at the last {@link #readCounts}. */
  long countedNanos() {
    return countedNanos;
  }

  /** Lost records at the last {@link #readCounts}; 0 if the kernel doesn't count them. */
  long lost() {
    return lost;
  }

  /** Closes all events, which removes the inherited ones, too. */
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
