package stackweave.cpu.aarch64;

/** Constants of the signal handler in handler-aarch64.S. */
public final class HandlerFacts {
  /** The processor's name in the handler's file names. */
  public static final String LABEL = "aarch64";

  /** The symbol of clock_gettime in the vDSO. */
  public static final String CLOCK = "__kernel_clock_gettime";

  /** Copies of stacks are cut to a multiple of this, in bytes. */
  public static final int STACK_ROUNDING = 16;

  private static final int REGISTERS = 32;

  private HandlerFacts() {}

  /** DWARF register numbers in the order of a sample record, without the pc: x0–x30, sp. */
  public static int[] dwarf() {
    int[] numbers = new int[REGISTERS];
    for (int i = 0; i < REGISTERS; i++) {
      numbers[i] = i;
    }
    return numbers;
  }
}
