package stackweave.unwind;

import java.nio.ByteOrder;

/**
 * A processor architecture as unwinding needs it: DWARF register numbers and what its calling
 * convention fixes. The numbers stand in the package of each processor.
 */
public enum Architecture {
  X86_64(
      stackweave.unwind.x86_64.RegisterNumbers.SP,
      stackweave.unwind.x86_64.RegisterNumbers.FP,
      stackweave.unwind.x86_64.RegisterNumbers.RA,
      stackweave.unwind.x86_64.RegisterNumbers.COUNT,
      stackweave.unwind.x86_64.RegisterNumbers.SP_BELOW_CFA,
      stackweave.unwind.x86_64.RegisterNumbers.RED_ZONE,
      stackweave.unwind.x86_64.RegisterNumbers.ADDRESS_MASK,
      stackweave.unwind.x86_64.RegisterNumbers.calleeSaved()),
  AARCH64(
      stackweave.unwind.aarch64.RegisterNumbers.SP,
      stackweave.unwind.aarch64.RegisterNumbers.FP,
      stackweave.unwind.aarch64.RegisterNumbers.RA,
      stackweave.unwind.aarch64.RegisterNumbers.COUNT,
      stackweave.unwind.aarch64.RegisterNumbers.SP_BELOW_CFA,
      stackweave.unwind.aarch64.RegisterNumbers.RED_ZONE,
      stackweave.unwind.aarch64.RegisterNumbers.ADDRESS_MASK,
      stackweave.unwind.aarch64.RegisterNumbers.calleeSaved()),
  S390X(
      stackweave.unwind.s390x.RegisterNumbers.SP,
      stackweave.unwind.s390x.RegisterNumbers.FP,
      stackweave.unwind.s390x.RegisterNumbers.RA,
      stackweave.unwind.s390x.RegisterNumbers.COUNT,
      stackweave.unwind.s390x.RegisterNumbers.SP_BELOW_CFA,
      stackweave.unwind.s390x.RegisterNumbers.RED_ZONE,
      stackweave.unwind.s390x.RegisterNumbers.ADDRESS_MASK,
      stackweave.unwind.s390x.RegisterNumbers.calleeSaved());

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
      int[] calleeSaved) {
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
   * first: what unwind information leaves unsaid about them means "unchanged". Not to be written.
   */
  public int[] calleeSaved() {
    return calleeSaved;
  }
}
