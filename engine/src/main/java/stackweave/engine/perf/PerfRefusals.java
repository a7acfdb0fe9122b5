package stackweave.engine.perf;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import stackweave.engine.EngineRefusal;
import stackweave.engine.EngineRefusal.Reason;
import stackweave.engine.EngineRefusedException;
import stackweave.jfr.control.EngineKind;
import stackweave.linux.Errno;
import stackweave.linux.GuardedCall;
import stackweave.maps.proc.PlainFiles;

/**
 * The refusals of the perf engines: what an errno of perf_event_open means, for users. Stateless.
 */
public final class PerfRefusals {
  /** Exists if the kernel has perf_event_open (perf_event_open(2)). */
  private static final String PARANOID = "/proc/sys/kernel/perf_event_paranoid";

  private static final int UNKNOWN = Integer.MAX_VALUE;

  private PerfRefusals() {}

  /** perf_event_open was not called, since a seccomp filter may kill for it. */
  public static EngineRefusal notTried(EngineKind engine) {
    return new EngineRefusal(engine, Reason.NOT_TRIED, 0, GuardedCall.PERF_EVENT_OPEN.notTried());
  }

  /**
   * perf_event_open failed with this errno.
   *
   * @param kernel whether kernel mode was to be sampled
   */
  public static EngineRefusedException open(EngineKind engine, boolean kernel, int errno) {
    return switch (errno) {
      case Errno.EACCES -> notPermitted(engine, kernel);
      case Errno.EPERM -> blocked(engine, errno);
      case Errno.ENOSYS ->
          new File(PARANOID).exists() ? blocked(engine, errno) : absent(engine, errno);
      case Errno.ENOENT, Errno.ENODEV, Errno.EOPNOTSUPP -> absent(engine, errno);
      case Errno.EMFILE, Errno.ENFILE -> outOfDescriptors(engine, errno);
      case Errno.ENOMEM ->
          new EngineRefusedException(
              engine, Reason.RING_MEMORY, errno, "the kernel has no memory for the events");
      default ->
          new EngineRefusedException(
              engine,
              Reason.UNSUPPORTED_KERNEL,
              errno,
              "this kernel does not accept the event that samples registers and stack; Linux 4.8"
                  + " and later do");
    };
  }

  private static EngineRefusedException blocked(EngineKind engine, int errno) {
    return new EngineRefusedException(
        engine,
        Reason.BLOCKED,
        errno,
        "a filter in front of the kernel refuses perf_event_open (seccomp of a container, or a"
            + " security module); a seccomp profile that allows perf_event_open, or "
            + capability()
            + " for the container, lifts it");
  }

  private static EngineRefusedException absent(EngineKind engine, int errno) {
    return new EngineRefusedException(
        engine,
        Reason.ABSENT,
        errno,
        "this kernel has no perf_event_open with cpu-clock events; a kernel built with"
            + " CONFIG_PERF_EVENTS has");
  }

  /** EACCES: the kernel's permission rules, unless they allow it. */
  private static EngineRefusedException notPermitted(EngineKind engine, boolean kernel) {
    return notPermitted(engine, kernel, paranoid());
  }

  /** As for EACCES, with kernel.perf_event_paranoid given; Integer.MAX_VALUE if not readable. */
  public static EngineRefusedException notPermitted(
      EngineKind engine, boolean kernel, int paranoid) {
    int most = mostParanoid(engine);
    // Debian's kernels refuse all that have no more than CAP_PERFMON from 3 on.
    String capability = paranoid > 2 && paranoid != UNKNOWN ? "CAP_SYS_ADMIN" : capability();
    if (paranoid <= most) {
      return new EngineRefusedException(
          engine,
          Reason.BLOCKED,
          Errno.EACCES,
          "a security module (such as SELinux) refuses perf_event_open, for"
              + " kernel.perf_event_paranoid is "
              + paranoid
              + " and would allow it; a policy that allows perf_event lifts it");
    }
    return new EngineRefusedException(
        engine,
        Reason.NOT_PERMITTED,
        Errno.EACCES,
        "this user may not "
            + (kernel ? "sample " + (most == 0 ? "CPUs" : "kernel mode") : "use perf_event_open")
            + " (kernel.perf_event_paranoid is "
            + (paranoid == UNKNOWN ? "unknown" : paranoid)
            + "); "
            + (most == 0
                ? filterCapabilities(capability)
                : "`sysctl kernel.perf_event_paranoid=" + most + "` or " + capability)
            + " lifts it");
  }

  /** What samples of CPUs need with the program that keeps others out. */
  private static String filterCapabilities(String capability) {
    return capability.equals("CAP_PERFMON") ? "CAP_PERFMON with CAP_BPF" : capability;
  }

  /** The highest kernel.perf_event_paranoid at which an engine may run without a capability. */
  private static int mostParanoid(EngineKind engine) {
    return switch (engine) {
      case PERF -> 0;
      case PERF_THREAD -> 1;
      case PERF_USER, TIMER -> 2;
    };
  }

  /**
   * Samples of CPUs can't be restricted to this process.
   *
   * @param programTried whether it was tried to load a program for that
   */
  static EngineRefusedException noFilter(boolean programTried) {
    return new EngineRefusedException(
        EngineKind.PERF,
        Reason.NOT_PERMITTED,
        0,
        "samples of CPUs would be those of all processes: "
            + (programTried
                ? "a BPF program that filters them needs root, or "
                    + filterCapabilities(capability())
                    + "; before Linux 5.11 also room within `ulimit -l`"
                : "bpf, which loads a program that filters them, is "
                    + GuardedCall.BPF.notTried()));
  }

  /** All CPUs are without ticks. */
  static EngineRefusedException withoutTicks() {
    return new EngineRefusedException(
        EngineKind.PERF,
        Reason.UNSUPPORTED_KERNEL,
        0,
        "all CPUs of this process are to run without ticks (nohz_full), which an event would end");
  }

  /** Even the smallest rings of so many CPUs are too large together. */
  static EngineRefusedException tooManyCpus(int cpus) {
    return new EngineRefusedException(
        EngineKind.PERF,
        Reason.RING_MEMORY,
        0,
        "rings of " + cpus + " CPUs would take more than 64 MiB of the kernel's memory");
  }

  /** The capability on the running kernel; CAP_PERFMON exists since Linux 5.8. */
  private static String capability() {
    return capability(System.getProperty("os.version", ""));
  }

  /** The capability that a kernel of this version asks for. */
  public static String capability(String version) {
    return version.matches("([0-4]|5\\.[0-7])\\b.*") ? "CAP_SYS_ADMIN" : "CAP_PERFMON";
  }

  /** The kernel grants no ring, not even of the smallest size. */
  static EngineRefusedException ringMemory(EngineKind engine, int bytes, int cpus, int errno) {
    return new EngineRefusedException(
        engine,
        Reason.RING_MEMORY,
        errno,
        "the kernel grants no memory for "
            + cpus
            + " rings of "
            + bytes / 1024
            + " KiB; a larger kernel.perf_event_mlock_kb or RLIMIT_MEMLOCK (ulimit -l), or"
            + " CAP_IPC_LOCK lifts it");
  }

  /**
   * The file descriptors allowed are fewer than threads × CPUs.
   *
   * @param most upper limit of the budget
   */
  static EngineRefusedException budget(
      EngineKind engine, int threads, int cpus, int budget, int most) {
    long needed = (long) threads * cpus;
    String cure =
        needed <= most
            ? "a higher limit of open files (ulimit -n) lifts it"
            : "sampling that begins before the threads do needs none for them";
    return new EngineRefusedException(
        engine,
        Reason.FILE_DESCRIPTORS,
        0,
        threads
            + " threads on "
            + cpus
            + " CPUs need "
            + needed
            + " file descriptors, and more than "
            + budget
            + " would be taken from the application; "
            + cure);
  }

  /** Events for all threads and CPUs would take more than half of the budget. */
  static EngineRefusedException kernelMemory(
      EngineKind engine, int threads, int cpus, long budgetBytes) {
    return new EngineRefusedException(
        engine,
        Reason.KERNEL_MEMORY,
        0,
        threads
            + " threads on "
            + cpus
            + " CPUs need "
            + mebibytes(PerfBudget.estimate(threads, cpus))
            + " MiB of the kernel's memory for events, and the budget is "
            + (budgetBytes >> 20)
            + " MiB, of which three quarters are left free for threads to come; a larger one (option"
            + " perf-memory) lifts it");
  }

  /** It ended because of its budget a short time ago. */
  static EngineRefusedException endedLately(EngineKind engine, int cpus, long budgetBytes) {
    return new EngineRefusedException(
        engine,
        Reason.KERNEL_MEMORY,
        0,
        "threads became so many, or were started so often, that events for each of them on "
            + cpus
            + " CPUs cost too much (budget: "
            + (budgetBytes >> 20)
            + " MiB of the kernel's memory, a tenth of a core for thread starts); it is tried again when"
            + " they have been few for a while");
  }

  private static long mebibytes(long bytes) {
    return (bytes + (1 << 20) - 1) >> 20;
  }

  static EngineRefusedException outOfDescriptors(EngineKind engine, int errno) {
    return new EngineRefusedException(
        engine,
        Reason.FILE_DESCRIPTORS,
        errno,
        "no file descriptor is left for the events; a higher limit of open files ("
            + (errno == Errno.ENFILE ? "sysctl fs.file-max" : "ulimit -n")
            + ") lifts it");
  }

  /** The kernel's records of switches don't say which threads were preempted. */
  static EngineRefusedException switches(EngineKind engine) {
    return new EngineRefusedException(
        engine,
        Reason.UNSUPPORTED_KERNEL,
        0,
        "this kernel does not record whether a thread that leaves a CPU is blocked; Linux 4.17 and"
            + " later do");
  }

  /** The kernel does not say what the process's clock adds to that of the records. */
  static EngineRefusedException clock(EngineKind engine) {
    return new EngineRefusedException(
        engine,
        Reason.UNSUPPORTED_KERNEL,
        0,
        "what this time namespace adds to the machine's clock can't be read from"
            + " /proc/self/timens_offsets, so the time of samples can't be told; a JVM that is started"
            + " within its namespace (unshare --time --fork) can read it");
  }

  static EngineRefusedException architecture(EngineKind engine) {
    return new EngineRefusedException(
        engine,
        Reason.UNSUPPORTED_ARCHITECTURE,
        0,
        "no perf engine for " + System.getProperty("os.arch") + "; x86-64 and AArch64 have one");
  }

  private static int paranoid() {
    try {
      return Integer.parseInt(PlainFiles.text(PARANOID, StandardCharsets.ISO_8859_1).strip());
    } catch (IOException | NumberFormatException e) {
      return UNKNOWN;
    }
  }
}
