package stackweave.cpu.aarch64;

/** Since when the kernel does on AArch64 what the agent builds on. Source: arch/arm64/Kconfig. */
public final class KernelReleases {
  /**
   * The signal of a CPU timer waits for the thread's way back to user mode: 6.12 has it at the
   * latest, for it takes PREEMPT_RT.
   */
  public static final String TIMERS_LEAVE_CALLS_ALONE = "6.12";

  private KernelReleases() {}
}
