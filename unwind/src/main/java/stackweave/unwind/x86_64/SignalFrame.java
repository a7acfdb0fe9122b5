package stackweave.unwind.x86_64;

/**
 * Where the ucontext of the kernel's signal frame keeps the registers, in bytes from sp as the
 * sigreturn trampoline has it: ucontext at sp, gregs at 40 in the kernel's order.
 *
 * <p>Sources: Linux arch/x86/include/uapi/asm/sigcontext.h, arch/x86/include/asm/sigframe.h.
 */
public final class SignalFrame {
  public static final int PC = 168;
  public static final int SP = 160;

  private SignalFrame() {}

  /** Pairs of register number and offset. */
  public static int[] registers() {
    return new int[] {
      8, 40, 9, 48, 10, 56, 11, 64, 12, 72, 13, 80, 14, 88, 15, 96, 5, 104, 4, 112, 6, 120, 3, 128,
      1, 136, 0, 144, 2, 152, 7, SP
    };
  }
}
