package stackweave.linux;

import stackweave.jfr.process.SampledProcess;

/**
 * CPU time as the kernel accounts it, in nanoseconds, and how often threads were switched. Not
 * thread-safe: one per thread that asks.
 */
public final class CpuTime implements AutoCloseable {
  // struct rusage in include/uapi/linux/resource.h.
  private static final int USAGE_BYTES = 144;
  private static final int VOLUNTARY_SWITCHES = 128;
  private static final int OTHER_SWITCHES = 136;

  /** CPUCLOCK_SCHED of include/linux/posix-timers_types.h: time on a CPU. */
  private static final int SCHED = 2;

  private static final int OF_THREAD = 4;

  private final SampledProcess process;
  private final NativeBuffer buffer = NativeBuffer.allocate(USAGE_BYTES);

  /** The most that was read of another process, which may end. */
  private long most;

  /** Of this process. */
  public CpuTime() {
    this(SampledProcess.OWN);
  }

  /** Of a process; what is of threads is of this one's. */
  public CpuTime(SampledProcess process) {
    this.process = process;
  }

  /** CPU time of the calling thread since it began, in ns. */
  public long ofThread() {
    return read(Libc.CLOCK_THREAD_CPUTIME_ID);
  }

  /**
   * CPU time of all threads of the process, including those that have ended, in ns. Of another
   * process that has ended it is what was read last.
   */
  public long ofProcess() {
    if (process.isOwn()) {
      return read(Libc.CLOCK_PROCESS_CPUTIME_ID);
    }
    most = Math.max(most, read(~process.pid() << 3 | SCHED));
    return most;
  }

  /** CPU time of the process without the calling thread, in ns. */
  public long ofOthers() {
    return process.isOwn() ? ofProcess() - ofThread() : ofProcess();
  }

  /**
   * CPU time of a thread of this process since it began, in ns; a system call of 0.3 µs. It stands
   * still exactly while the thread does not run.
   *
   * @return −1 if there is no such thread
   */
  public long ofThread(int tid) {
    return read(clock(tid));
  }

  /** How often threads of the process left a CPU, including those that have ended. */
  public long switchesOfProcess() {
    Libc.getrusage(Libc.RUSAGE_SELF, buffer.address());
    return buffer.bytes().getLong(VOLUNTARY_SWITCHES) + buffer.bytes().getLong(OTHER_SWITCHES);
  }

  /** MAKE_THREAD_CPUCLOCK of include/linux/posix-timers.h: all of the thread's CPU time. */
  public static int clock(int tid) {
    return ~tid << 3 | OF_THREAD | SCHED;
  }

  private long read(int clock) {
    return Libc.clockNanos(clock, buffer);
  }

  @Override
  public void close() {
    buffer.close();
  }
}
