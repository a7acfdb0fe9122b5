package stackweave.engine.timer.handler;

import stackweave.engine.EngineRefusal.Reason;
import stackweave.engine.EngineRefusedException;
import stackweave.jfr.control.EngineKind;
import stackweave.linux.Errno;

/** The refusals of the timer engine, in words for users. Stateless. */
public final class TimerRefusals {
  private TimerRefusals() {}

  /** There is no handler for this processor. */
  public static EngineRefusedException architecture() {
    return refused(
        Reason.UNSUPPORTED_ARCHITECTURE,
        0,
        "no signal handler for " + System.getProperty("os.arch") + "; x86-64 and AArch64 have one");
  }

  /** Another timer engine runs in this process. */
  public static EngineRefusedException inUse() {
    return refused(
        Reason.IN_USE, 0, "another timer engine runs in this process; it runs when that has ended");
  }

  /** The kernel grants no memory for the ring. */
  public static EngineRefusedException memory(int errno) {
    return refused(
        Reason.RING_MEMORY,
        errno,
        "the kernel grants no memory for the ring ("
            + (HandlerMemory.MIN_RING_BYTES >> 20)
            + " MiB at least); a higher limit of address space or memory, or of what may be"
            + " committed (vm.overcommit_memory, vm.overcommit_ratio), lifts it");
  }

  /** The handler can't be mapped executable. */
  public static EngineRefusedException executable(int errno) {
    return refused(
        Reason.BLOCKED,
        errno,
        "a security module refuses to map the signal handler executable (mmap of a sealed memory"
            + " file, or mprotect); a policy that allows execute on the JVM's own memory files (SELinux:"
            + " execute on tmpfs_t or memfd files) lifts it");
  }

  /** The signal's handler can't be installed. */
  public static EngineRefusedException signal(int number, int errno) {
    return refused(Reason.BLOCKED, errno, "the handler of signal " + number + " can't be set");
  }

  /** Every usable signal has a handler already. */
  public static EngineRefusedException noSignal() {
    return refused(
        Reason.NO_SIGNAL,
        0,
        "every real-time signal and SIGPROF has a handler already; one that is left free lifts it");
  }

  /** A library's code has its stack pointer where a signal would overwrite data. */
  public static EngineRefusedException library(String name) {
    return refused(
        Reason.NO_ROOM_FOR_SIGNALS,
        0,
        name
            + " generates code that runs with its stack pointer in its own buffers, where a signal"
            + " overwrites memory of the application; a perf engine sends none");
  }

  /** The signal queue, in which every timer takes a place, is too short for the threads. */
  public static EngineRefusedException signalQueue(int threads, long budget) {
    return refused(
        Reason.SIGNAL_QUEUE,
        0,
        threads
            + " threads need as many timers, and more than "
            + budget
            + " would take over half of the signal queue that this user has left; a higher limit"
            + " of pending signals (ulimit -i) lifts it");
  }

  /** No thread can take the signal, and no other signal is blocked by fewer. */
  public static EngineRefusedException blocked(int signal, int threads) {
    return refused(
        Reason.SIGNAL_BLOCKED,
        0,
        "all "
            + threads
            + " threads block signal "
            + signal
            + " and every other that is free; a JVM that is started with an empty signal mask lifts"
            + " it (a parent that blocks all signals hands its mask down)");
  }

  /** No thread's timer could be created; {@code errno} is timer_create's. */
  public static EngineRefusedException timers(int errno) {
    if (errno == Errno.EPERM || errno == Errno.EACCES) {
      return refused(
          Reason.BLOCKED,
          errno,
          "timer_create is refused (seccomp of a container, or a security module); a profile that"
              + " allows timer_create, timer_settime and timer_delete lifts it");
    }
    if (errno == Errno.ENOSYS) {
      return refused(
          Reason.ABSENT,
          errno,
          "this kernel has no timer_create; one built with CONFIG_POSIX_TIMERS has");
    }
    return refused(
        Reason.UNSUPPORTED_KERNEL,
        errno,
        "this kernel grants no timer on a thread's CPU clock; Linux 2.6.12 and later do");
  }

  /** The list of threads can't be read. */
  public static EngineRefusedException tasks(int errno) {
    return refused(
        Reason.ABSENT,
        errno,
        "/proc/self/task, which lists the threads, can't be read; a mounted /proc lifts it");
  }

  private static EngineRefusedException refused(Reason reason, int errno, String explanation) {
    return new EngineRefusedException(EngineKind.TIMER, reason, errno, explanation);
  }
}
