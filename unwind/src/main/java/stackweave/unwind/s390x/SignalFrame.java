package stackweave.unwind.s390x;

/**
 * Where the ucontext of the kernel's signal frame keeps the registers, in bytes from r15 as the
 * sigreturn trampoline has it.
 *
 * <p>Sources: Linux arch/s390/include/uapi/asm/sigcontext.h, arch/s390/kernel/signal.c.
 */
public final class SignalFrame {
  public static final int PC = 344;

  private static final int R0 = 352;

  public static final int SP = R0 + 8 * 15;

  /** Behind 16 access registers and the floating point control word. */
  private static final int F0 = 552;

  /** DWARF 16..31 in the order of the ABI: the number of each floating point register. */
  private static final int[] FPR = {0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15};

  private SignalFrame() {}

  /** Pairs of register number and offset. */
  public static int[] registers() {
    int[] layout = new int[2 * 32];
    for (int i = 0; i < 16; i++) {
      layout[2 * i] = i;
      layout[2 * i + 1] = R0 + 8 * i;
      layout[2 * (16 + i)] = 16 + i;
      layout[2 * (16 + i) + 1] = F0 + 8 * FPR[i];
    }
    return layout;
  }
}
