package stackweave.unwind.s390x;

/**
 * DWARF register numbers and calling convention of s390x: 16 to 31 are the floating point
 * registers, in the order of {@link SignalFrame}.
 *
 * <p>Source: s390x ELF ABI, sections 1.2 and 1.6 (table 1.21).
 */
public final class RegisterNumbers {
  public static final int SP = 15;
  public static final int FP = 11;

  /** The return address column is r14. */
  public static final int RA = 14;

  public static final int COUNT = 66;

  /** The caller's sp is this far below the CFA: the register save area lies between. */
  public static final int SP_BELOW_CFA = 160;

  /** Nothing below sp stays as it is. */
  public static final int RED_ZONE = 0;

  /** Return addresses carry nothing but the address. */
  public static final long ADDRESS_MASK = -1L;

  private RegisterNumbers() {}

  /** r11, r6 to r10, r12, r13, f8 to f15. */
  public static int[] calleeSaved() {
    return new int[] {FP, 6, 7, 8, 9, 10, 12, 13, 24, 25, 26, 27, 28, 29, 30, 31};
  }
}
