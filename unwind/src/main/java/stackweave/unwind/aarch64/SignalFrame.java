package stackweave.unwind.aarch64;

/**
 * Where the ucontext of the kernel's signal frame keeps the registers, in bytes from sp as the
 * sigreturn trampoline has it: siginfo 128, uc_mcontext at 176 of the ucontext, fault address 8.
 *
 * <p>Sources: Linux arch/arm64/include/uapi/asm/sigcontext.h, arch/arm64/kernel/signal.c.
 */
public final class SignalFrame {
  private static final int X0 = 312;

  public static final int SP = X0 + 8 * 31;
  public static final int PC = SP + 8;

  private SignalFrame() {}

  /** Pairs of register number and offset: x0 to x30, and sp, which is DWARF 31. */
  public static int[] registers() {
    int[] layout = new int[2 * 32];
    for (int i = 0; i < 32; i++) {
      layout[2 * i] = i;
      layout[2 * i + 1] = X0 + 8 * i;
    }
    return layout;
  }
}
