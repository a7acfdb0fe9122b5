package stackweave.cpu.x86_64;

/**
 * The user registers of perf samples, in the kernel's order: AX BX CX DX SI DI BP SP IP FLAGS,
 * (segments left out), R8–R15. Source: arch/x86/include/uapi/asm/perf_regs.h.
 */
public final class PerfRegisterOrder {
  /** attr.sample_regs_user. */
  public static final long MASK = 0xFF03FFL;

  public static final int PC_INDEX = 8;
  public static final int SP_INDEX = 7;

  // In struct pt_regs, as programs of events see it: arch/x86/include/asm/ptrace.h.
  public static final int REGS_CS = 136;
  public static final int REGS_SP = 152;

  /** The privilege level in cs; all bits are set in user mode. */
  public static final int CS_MODE = 3;

  private PerfRegisterOrder() {}

  /** DWARF register numbers in that order; −1 for a register without one here. */
  public static int[] dwarf() {
    return new int[] {0, 3, 2, 1, 4, 5, 6, 7, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15};
  }
}
