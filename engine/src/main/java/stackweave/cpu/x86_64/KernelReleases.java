package stackweave.cpu.x86_64;

/** Since when the kernel does on x86-64 what the agent builds on. Source: arch/x86/Kconfig. */
public final class KernelReleases {
  /**
   * The signal of a CPU timer waits for the thread's way back to user mode: 5.9 has
   * CONFIG_POSIX_CPU_TIMERS_TASK_WORK.
   */
  public static final String TIMERS_LEAVE_CALLS_ALONE = "5.9";

  private KernelReleases() {}
}
