package stackweave.cpu.aarch64;

/**
 * The user registers of perf samples, in the kernel's order: X0–X29, LR, SP, PC. Source:
 * arch/arm64/include/uapi/asm/perf_regs.h.
 */
public final class PerfRegisterOrder {
  /** attr.sample_regs_user. */
  public static final long MASK = 0x1_FFFF_FFFFL;

  public static final int PC_INDEX = 32;
  public static final int SP_INDEX = 31;

  // In struct user_pt_regs, as programs of events see it: arch/arm64/include/uapi/asm/ptrace.h.
  public static final int REGS_SP = 248;
  public static final int REGS_PSTATE = 264;

  /** PSR_MODE_MASK; no bit is set in user mode. */
  public static final int PSTATE_MODE = 0xf;

  private PerfRegisterOrder() {}

  /** DWARF register numbers in that order; −1 for a register without one here. */
  public static int[] dwarf() {
    int[] numbers = new int[PC_INDEX + 1];
    for (int i = 0; i < PC_INDEX; i++) {
      numbers[i] = i;
    }
    numbers[PC_INDEX] = -1;
    return numbers;
  }
}
