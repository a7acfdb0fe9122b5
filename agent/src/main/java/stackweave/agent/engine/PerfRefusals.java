package stackweave.agent.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import stackweave.agent.engine.EngineRefusal.Reason;
import stackweave.agent.linux.Errno;

/** What a refused perf_event_open means, in words. */
final class PerfRefusals {
  private static final Path PARANOID = Path.of("/proc/sys/kernel/perf_event_paranoid");

  private PerfRefusals() {}

  /** perf_event_open of the first event failed. */
  static EngineRefusedException open(EngineKind engine, boolean kernel, int errno) {
    return switch (errno) {
      case Errno.EACCES -> notPermitted(engine, kernel);
      case Errno.EPERM ->
          refused(
              engine,
              Reason.BLOCKED,
              errno,
              "a filter in front of the kernel refuses perf_event_open (seccomp of a container, or a"
                  + " security module); a seccomp profile that allows perf_event_open, or"
                  + " CAP_PERFMON for the container, lifts it");
      case Errno.ENOSYS, Errno.ENOENT, Errno.ENODEV, Errno.EOPNOTSUPP ->
          refused(
              engine,
              Reason.ABSENT,
              errno,
              "this kernel has no perf_event_open with cpu-clock events; a kernel built with"
                  + " CONFIG_PERF_EVENTS has");
      case Errno.EMFILE, Errno.ENFILE -> outOfDescriptors(engine, errno);
      default ->
          refused(
              engine,
              Reason.UNSUPPORTED_KERNEL,
              errno,
              "this kernel does not accept the event that samples registers and stack; Linux 4.8"
                  + " and later do");
    };
  }

  private static EngineRefusedException notPermitted(EngineKind engine, boolean kernel) {
    String what = kernel ? "sample kernel mode" : "use perf_event_open";
    return refused(
        engine,
        Reason.NOT_PERMITTED,
        Errno.EACCES,
        "this user may not "
            + what
            + " (kernel.perf_event_paranoid is "
            + paranoid()
            + "); `sysctl kernel.perf_event_paranoid="
            + (kernel ? 1 : 2)
            + "` or CAP_PERFMON lifts it");
  }

  /** The kernel grants no ring, not even of the least size. */
  static EngineRefusedException ringMemory(EngineKind engine, int bytes, int cpus, int errno) {
    return refused(
        engine,
        Reason.RING_MEMORY,
        errno,
        "the kernel grants no memory for "
            + cpus
            + " rings of "
            + bytes / 1024
            + " KiB; a larger kernel.perf_event_mlock_kb or RLIMIT_MEMLOCK, or CAP_IPC_LOCK lifts"
            + " it");
  }

  /** The budget does not cover threads × CPUs. */
  static EngineRefusedException budget(EngineKind engine, int threads, int cpus, int budget) {
    return refused(
        engine,
        Reason.FILE_DESCRIPTORS,
        0,
        threads
            + " threads on "
            + cpus
            + " CPUs need "
            + (long) threads * cpus
            + " file descriptors, and more than "
            + budget
            + " would be taken from the application; a higher limit of open files (ulimit -n)"
            + " lifts it up to 4096");
  }

  static EngineRefusedException outOfDescriptors(EngineKind engine, int errno) {
    return refused(
        engine,
        Reason.FILE_DESCRIPTORS,
        errno,
        "no file descriptor is left for the events; a higher limit of open files (ulimit -n) lifts"
            + " it");
  }

  static EngineRefusedException architecture(EngineKind engine) {
    return refused(
        engine,
        Reason.UNSUPPORTED_ARCHITECTURE,
        0,
        "no perf engine for " + System.getProperty("os.arch") + "; x86-64 and AArch64 have one");
  }

  private static EngineRefusedException refused(
      EngineKind engine, Reason reason, int errno, String explanation) {
    return new EngineRefusedException(new EngineRefusal(engine, reason, errno, explanation));
  }

  private static String paranoid() {
    try {
      return Files.readString(PARANOID).strip();
    } catch (IOException e) {
      return "unknown";
    }
  }
}
