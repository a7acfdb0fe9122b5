package stackweave.unwind;

import java.nio.ByteOrder;

/**
 * A processor architecture as unwinding needs it: DWARF register numbers and what its calling
 * convention fixes. Signal frames and code patterns stand in the package of each processor.
 */
public enum Architecture {
  /**
   * System V psABI AMD64, figure 3.36 and section 3.2. The return address column and rip have the
   * same number. 128 bytes below sp belong to the function (section 3.2.2). Callee-saved are rbp,
   * rbx, r12 to r15.
   */
  X86_64(7, 6, 16, 17, 0, 128, -1L, 6, 3, 12, 13, 14, 15),

  /**
   * AADWARF64 section 4.1; AAPCS64 sections 6.1.1 and 6.2.2; Linux
   * Documentation/arch/arm64/pointer-authentication.rst and memory.rst. The return address column
   * is the link register x30; pc has the number 32. User addresses have 48 bits (52 only where a
   * program asks for it); above are the authentication bits of a signed return address.
   * Callee-saved are x29, x19 to x28.
   */
  AARCH64(31, 29, 30, 33, 0, 0, (1L << 48) - 1, 29, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28),

  /**
   * s390x ELF ABI, sections 1.2 and 1.6 (table 1.21). The return address column is r14; 16 to 31
   * are the floating point registers, in the order of {@link stackweave.unwind.s390x.SignalFrame}.
   * The caller's sp is below the CFA: the register save area lies between. Callee-saved are r11, r6
   * to r10, r12, r13, f8 to f15.
   */
  S390X(15, 11, 14, 66, 160, 0, -1L, 11, 6, 7, 8, 9, 10, 12, 13, 24, 25, 26, 27, 28, 29, 30, 31);

  private final int sp;
  private final int fp;
  private final int ra;
  private final int registerCount;
  private final int spBelowCfa;
  private final int redZone;
  private final long addressMask;
  private final int[] calleeSaved;

  Architecture(
      int sp,
      int fp,
      int ra,
      int registerCount,
      int spBelowCfa,
      int redZone,
      long addressMask,
      int... calleeSaved) {
    this.sp = sp;
    this.fp = fp;
    this.ra = ra;
    this.registerCount = registerCount;
    this.spBelowCfa = spBelowCfa;
    this.redZone = redZone;
    this.addressMask = addressMask;
    this.calleeSaved = calleeSaved;
  }

  /** DWARF number of the stack pointer. */
  public int sp() {
    return sp;
  }

  /** DWARF number of the frame pointer. */
  public int fp() {
    return fp;
  }

  /** DWARF number of the return address column. */
  public int ra() {
    return ra;
  }

  /** How many register numbers there are: all are below this. */
  public int registerCount() {
    return registerCount;
  }

  /** How far below the CFA the caller's stack pointer is, in bytes. */
  public int spBelowCfa() {
    return spBelowCfa;
  }

  /**
   * How many bytes below the stack pointer belong to an interrupted function, so that no signal
   * handler runs over them: a leaf function may save registers there.
   */
  public int redZone() {
    return redZone;
  }

  /** The bits of a return address that are its address; the others authenticate it. */
  public long addressMask() {
    return addressMask;
  }

  /** The byte order of Linux on it; AArch64 can have the other one, too. */
  public ByteOrder byteOrder() {
    return this == S390X ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
  }

  /**
   * The registers that a function hands back as it found them, by DWARF number, the frame pointer
   * first: where unwind information does not mention one, it is unchanged. Not to be written.
   */
  public int[] calleeSaved() {
    return calleeSaved;
  }
}
