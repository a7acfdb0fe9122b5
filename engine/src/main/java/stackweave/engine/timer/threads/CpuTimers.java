package stackweave.engine.timer.threads;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import stackweave.cpu.x86_64.KernelReleases;
import stackweave.engine.KernelVersion;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;
import stackweave.maps.proc.PlainFiles;
import stackweave.unwind.Architecture;

/** What is to know of this kernel's CPU timers. */
public final class CpuTimers {
  private static final String RELEASE = "/proc/sys/kernel/osrelease";

  private CpuTimers() {}

  /** How often the kernel looks at them, in ns: its tick. */
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
    try {
      return mayInterruptCalls(
          SystemCalls.current().orElseThrow().architecture(),
          PlainFiles.text(RELEASE, StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      return false; // without /proc there is no timer engine
    }
  }

  /** The same for a kernel by its release. */
  static boolean mayInterruptCalls(Architecture architecture, String release) {
    String since =
        switch (architecture) {
          case X86_64 -> KernelReleases.TIMERS_LEAVE_CALLS_ALONE;
          case AARCH64 -> stackweave.cpu.aarch64.KernelReleases.TIMERS_LEAVE_CALLS_ALONE;
          case S390X -> throw new IllegalArgumentException("no timer engine for " + architecture);
        };
    return KernelVersion.of(release.strip()).isBefore(KernelVersion.of(since));
  }
}
