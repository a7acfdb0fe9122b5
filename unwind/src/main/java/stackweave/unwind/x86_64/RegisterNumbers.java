package stackweave.unwind.x86_64;

/**
 * DWARF register numbers and calling convention of x86-64.
 *
 * <p>Source: System V psABI AMD64, figure 3.36 and section 3.2.
 */
public final class RegisterNumbers {
  public static final int SP = 7;
  public static final int FP = 6;

  /** The return address column; rip has the same number. */
  public static final int RA = 16;

  public static final int COUNT = 17;

  /** The caller's sp is the CFA. */
  public static final int SP_BELOW_CFA = 0;

  /** Bytes below sp that no signal handler touches (section 3.2.2). */
  public static final int RED_ZONE = 128;

  /** Return addresses carry nothing but the address. */
  public static final long ADDRESS_MASK = -1L;

  private RegisterNumbers() {}

  /** rbp, rbx, r12 to r15. */
  public static int[] calleeSaved() {
    return new int[] {FP, 3, 12, 13, 14, 15};
  }
}
