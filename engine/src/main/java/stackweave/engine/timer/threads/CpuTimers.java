package stackweave.engine.timer.threads;

import stackweave.engine.KernelVersion;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;
import stackweave.unwind.Architecture;

/** Properties of this kernel's CPU timers. */
public final class CpuTimers {
  /** The first version that surely has it on AArch64: PREEMPT_RT needs it (arch/arm64/Kconfig). */
  private static final KernelVersion WAIT_ON_AARCH64 = new KernelVersion(6, 12);

  private CpuTimers() {}

  /** How often the kernel checks CPU timers, in ns: its tick. */
  public static long tickNanos() {
    try (NativeBuffer words = NativeBuffer.allocate(2 * Long.BYTES)) {
      Libc.clock_getres(Libc.CLOCK_REALTIME_COARSE, words.address());
      return words.bytes().getLong(Long.BYTES);
    }
  }

  /**
   * Whether a timer that expires may end a blocking call with EINTR.
   *
   * <p>Without POSIX_CPU_TIMERS_TASK_WORK the tick itself sends the signal, also to a thread that
   * is in the kernel and about to sleep: poll, select, epoll_wait and nanosleep then fail with
   * EINTR, whatever SA_RESTART says. With it (kernel/time/posix-cpu-timers.c) the signal is sent
   * when the thread is on its way back to user mode, and no call is waiting any more.
   */
  public static boolean mayInterruptCalls() {
    return mayInterruptCalls(
        SystemCalls.current().orElseThrow().architecture(), KernelVersion.current());
  }

  /** The same for a kernel. */
  static boolean mayInterruptCalls(Architecture architecture, KernelVersion kernel) {
    return kernel.isBefore(
        architecture == Architecture.AARCH64 ? WAIT_ON_AARCH64 : KernelVersion.TIMERS_WAIT);
  }
}
