package stackweave.unwind;

/**
 * The register numbering of a processor architecture: DWARF numbers of its ABI supplement.
 *
 * <p>Sources: System V psABI AMD64 figure 3.36; AADWARF64 section 4.1; s390x ELF ABI table 1.21.
 */
public enum Architecture {
  /** x86-64: rip has the number of the return address column, 16. */
  X86_64(7, 6, 16, 17, 6, 3, 12, 13, 14, 15),
  /** AArch64: x29, sp 31, pc 32; the return address column is x30. */
  AARCH64(31, 29, 30, 33, 29, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28),
  /** s390x: r15, r11, r14; DWARF 16..31 are the floating point registers. */
  S390X(15, 11, 14, 66, 11, 6, 7, 8, 9, 10, 12, 13, 24, 25, 26, 27, 28, 29, 30, 31);

  private final int sp;
  private final int fp;
  private final int ra;
  private final int registerCount;
  private final int[] calleeSaved;

  Architecture(int sp, int fp, int ra, int registerCount, int... calleeSaved) {
    this.sp = sp;
    this.fp = fp;
    this.ra = ra;
    this.registerCount = registerCount;
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

  /**
   * The registers that a function hands back as it found them, by DWARF number, the frame pointer
   * first: what unwind information leaves unsaid about them means "unchanged". Not to be written.
   */
  public int[] calleeSaved() {
    return calleeSaved;
  }
}
