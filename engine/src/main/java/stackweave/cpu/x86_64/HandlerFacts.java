package stackweave.cpu.x86_64;

/** Constants of the signal handler in handler-x86_64.S. */
public final class HandlerFacts {
  /** The processor's name in the handler's file names. */
  public static final String LABEL = "x86_64";

  /** The symbol of clock_gettime in the vDSO. */
  public static final String CLOCK = "__vdso_clock_gettime";

  /** Copies of stacks are cut to a multiple of this, in bytes. */
  public static final int STACK_ROUNDING = 8;

  private HandlerFacts() {}

  /**
   * DWARF register numbers in the order of a sample record, without the pc: r8–r15, rdi, rsi, rbp,
   * rbx, rdx, rax, rcx, rsp.
   */
  public static int[] dwarf() {
    return new int[] {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7};
  }
}
