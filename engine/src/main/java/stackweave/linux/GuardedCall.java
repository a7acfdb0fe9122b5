package stackweave.linux;

/**
 * The system calls that the agent uses and an ordinary service does not make; a seccomp filter may
 * kill the process for them, so each call site must ask {@link CallPolicy} first. All others are
 * made by the JVM itself or by every long-running program. docs/containers.md has both lists, and
 * the command that makes them.
 */
public enum GuardedCall {
  /** For the perf engines; instead: the timer engine. */
  PERF_EVENT_OPEN("perf_event_open", "engine=perf"),
  /** Reads the process's own memory; instead: pread of /proc/self/mem. */
  PROCESS_VM_READV("process_vm_readv", "memory=process_vm_readv"),
  /**
   * For the timer engine's code, and for {@link ObjectBits}; instead: anonymous memory by mmap and
   * mprotect, and a pair of sockets.
   */
  MEMFD_CREATE("memfd_create", null),
  /** Finds the descriptors of native threads; instead: the list that the C library keeps. */
  GET_ROBUST_LIST("get_robust_list", null),
  /**
   * Loads programs that filter samples; instead: another engine runs, and native allocations are
   * not followed.
   */
  BPF("bpf", "engine=perf");

  private final String call;
  private final String option;

  GuardedCall(String call, String option) {
    this.call = call;
    this.option = option;
  }

  /** The call as the kernel names it. */
  public String call() {
    return call;
  }

  /** Why it wasn't made, for users, and the option that permits it, if any. */
  public String notTried() {
    String reason = "not tried: a seccomp filter may kill";
    return option == null ? reason : reason + "; " + option + " tries it";
  }
}
