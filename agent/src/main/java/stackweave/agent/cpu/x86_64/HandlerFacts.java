package stackweave.agent.cpu.x86_64;

/** What the signal handler, handler-x86_64.S, has of its own. */
public final class HandlerFacts {
  /** The processor's name in the handler's file names. */
  public static final String LABEL = "x86_64";

  /** The vdso's clock_gettime. */
  public static final String CLOCK = "__vdso_clock_gettime";

  /** Copies of stacks are cut to a multiple of this, in bytes. */
  public static final int STACK_ROUNDING = 8;

  private HandlerFacts() {}

  /**
   * DWARF's numbers of the registers in a record, the pc left out: r8–r15, rdi, rsi, rbp, rbx, rdx,
   * rax, rcx, rsp.
   */
  public static int[] dwarf() {
    return new int[] {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7};
  }
}
