package stackweave.agent.linux;

/**
 * The system calls that we would like to make and a usual service does not: all there are. Each
 * call site asks {@link CallPolicy} first, for a seccomp filter may kill who makes one of them.
 *
 * <p>That a call isn't here means that the JVM makes it by itself, or every long-running program
 * does. docs/system-calls.md has both lists, and the command that makes them.
 */
public enum GuardedCall {
  /** For the perf engines; instead: the timer engine. */
  PERF_EVENT_OPEN("perf_event_open", "engine=perf"),
  /** Reads the own memory; instead: pread of /proc/self/mem. */
  PROCESS_VM_READV("process_vm_readv", "memory=process_vm_readv"),
  /**
   * For the timer engine's code, and for telling virtual threads apart; instead: anonymous memory,
   * by mmap and mprotect, and a pair of sockets.
   */
  MEMFD_CREATE("memfd_create", null),
  /** Finds the descriptors of native threads; instead: the list that the C library keeps. */
  GET_ROBUST_LIST("get_robust_list", null),
  /** Where the kernel's BPF programs are; instead: such frames have no names. */
  BPF("bpf", null);

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

  /** Why it wasn't made, for people, and which option makes it where there is one. */
  public String notTried() {
    String reason = "not tried: a seccomp filter may kill";
    return option == null ? reason : reason + "; " + option + " tries it";
  }
}
