package stackweave.engine.perf;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import stackweave.engine.EngineRefusal;
import stackweave.engine.EngineRefusal.Reason;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.RefusalText;
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
  private static final long MEBIBYTE = 1 << 20;

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
      case Errno.EACCES -> notPermitted(engine, kernel, paranoid());
      case Errno.EPERM -> RefusalText.PERF_BLOCKED.of(engine, errno, capability());
      case Errno.ENOSYS ->
          new File(PARANOID).exists()
              ? RefusalText.PERF_BLOCKED.of(engine, errno, capability())
              : RefusalText.PERF_ABSENT.of(engine, errno);
      case Errno.ENOENT, Errno.ENODEV, Errno.EOPNOTSUPP ->
          RefusalText.PERF_ABSENT.of(engine, errno);
      case Errno.EMFILE, Errno.ENFILE -> outOfDescriptors(engine, errno);
      case Errno.ENOMEM -> RefusalText.PERF_NO_MEMORY.of(engine, errno);
      default -> RefusalText.PERF_UNSUPPORTED.of(engine, errno);
    };
  }

  /**
   * As for EACCES: the kernel's permission rules, unless they allow it.
   *
   * @param paranoid kernel.perf_event_paranoid; Integer.MAX_VALUE if not readable
   */
  public static EngineRefusedException notPermitted(
      EngineKind engine, boolean kernel, int paranoid) {
    int most = mostParanoid(engine);
    if (paranoid <= most) {
      return RefusalText.PERF_POLICY.of(engine, Errno.EACCES, paranoid);
    }
    // From 3 on, Debian's kernels refuse processes with CAP_PERFMON only.
    String capability = paranoid > 2 && paranoid != UNKNOWN ? "CAP_SYS_ADMIN" : capability();
    return RefusalText.PERF_PARANOID.of(
        engine,
        Errno.EACCES,
        kernel ? "sample " + (most == 0 ? "CPUs" : "kernel mode") : "use perf_event_open",
        paranoid == UNKNOWN ? "unknown" : paranoid,
        most == 0
            ? filterCapabilities(capability)
            : "`sysctl kernel.perf_event_paranoid=" + most + "` or " + capability);
  }

  /** The capabilities for samples of CPUs, with the program that filters other processes. */
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
   * @param programTried whether loading a program for that was tried
   */
  static EngineRefusedException noFilter(boolean programTried) {
    return RefusalText.PERF_NO_FILTER.of(
        EngineKind.PERF,
        0,
        programTried
            ? "a BPF program that filters them needs root, or "
                + filterCapabilities(capability())
                + "; before Linux 5.11 also room within `ulimit -l`"
            : "bpf, which loads a program that filters them, is " + GuardedCall.BPF.notTried());
  }

  /** The capability on the running kernel; CAP_PERFMON exists since Linux 5.8. */
  private static String capability() {
    return capability(System.getProperty("os.version", ""));
  }

  /** The capability that a kernel of this version asks for. */
  public static String capability(String version) {
    return version.matches("([0-4]|5\\.[0-7])\\b.*") ? "CAP_SYS_ADMIN" : "CAP_PERFMON";
  }

  /**
   * The file descriptors allowed are fewer than threads × CPUs.
   *
   * @param most upper limit of the budget
   */
  static EngineRefusedException budget(
      EngineKind engine, int threads, int cpus, int budget, int most) {
    long needed = (long) threads * cpus;
    return RefusalText.PERF_BUDGET_OF_DESCRIPTORS.of(
        engine,
        0,
        threads,
        cpus,
        needed,
        budget,
        needed <= most
            ? "a higher limit of open files (ulimit -n) lifts it"
            : "sampling that begins before the threads do needs none for them");
  }

  /** Events for all threads and CPUs would take more than half of the budget. */
  static EngineRefusedException kernelMemory(
      EngineKind engine, int threads, int cpus, long budgetBytes) {
    long needed = PerfBudget.estimate(threads, cpus);
    return RefusalText.PERF_KERNEL_MEMORY.of(
        engine, 0, threads, cpus, (needed + MEBIBYTE - 1) / MEBIBYTE, budgetBytes / MEBIBYTE);
  }

  static EngineRefusedException outOfDescriptors(EngineKind engine, int errno) {
    return RefusalText.PERF_OUT_OF_DESCRIPTORS.of(
        engine, errno, errno == Errno.ENFILE ? "sysctl fs.file-max" : "ulimit -n");
  }

  private static int paranoid() {
    try {
      return Integer.parseInt(PlainFiles.text(PARANOID, StandardCharsets.ISO_8859_1).strip());
    } catch (IOException | NumberFormatException e) {
      return UNKNOWN;
    }
  }
}
