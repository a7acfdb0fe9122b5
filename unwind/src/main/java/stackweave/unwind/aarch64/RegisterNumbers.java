package stackweave.unwind.aarch64;

/**
 * DWARF register numbers and calling convention of AArch64 Linux.
 *
 * <p>Sources: AADWARF64 section 4.1; AAPCS64 sections 6.1.1 and 6.2.2; Linux
 * Documentation/arch/arm64/pointer-authentication.rst and memory.rst.
 */
public final class RegisterNumbers {
  public static final int SP = 31;
  public static final int FP = 29;

  /** The return address column is the link register x30; pc has the number 32. */
  public static final int RA = 30;

  public static final int COUNT = 33;

  /** The caller's sp is the CFA. */
  public static final int SP_BELOW_CFA = 0;

  /** Nothing below sp stays as it is. */
  public static final int RED_ZONE = 0;

  /**
   * User addresses have 48 bits (52 only where a program asks for it); above are the authentication
   * bits of a signed return address.
   */
  public static final long ADDRESS_MASK = (1L << 48) - 1;

  private RegisterNumbers() {}

  /** x29, x19 to x28. */
  public static int[] calleeSaved() {
    return new int[] {FP, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28};
  }
}
