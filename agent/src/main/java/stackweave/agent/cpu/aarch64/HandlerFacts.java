package stackweave.agent.cpu.aarch64;

/** What the signal handler, handler-aarch64.S, has of its own. */
public final class HandlerFacts {
  /** The processor's name in the handler's file names. */
  public static final String LABEL = "aarch64";

  /** The vdso's clock_gettime. */
  public static final String CLOCK = "__kernel_clock_gettime";

  /** Copies of stacks are cut to a multiple of this, in bytes. */
  public static final int STACK_ROUNDING = 16;

  private static final int REGISTERS = 32;

  private HandlerFacts() {}

  /** DWARF's numbers of the registers in a record, the pc left out: x0–x30, sp. */
  public static int[] dwarf() {
    int[] numbers = new int[REGISTERS];
    for (int i = 0; i < REGISTERS; i++) {
      numbers[i] = i;
    }
    return numbers;
  }
}
