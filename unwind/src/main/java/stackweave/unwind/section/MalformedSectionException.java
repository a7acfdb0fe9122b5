package stackweave.unwind.section;

/** A malformed unwind section: what is wrong, and where. */
public final class MalformedSectionException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What can be wrong with a section: the closed set. */
  public enum Reason {
    /** A structure reaches beyond the end of what holds it. */
    TRUNCATED("structure reaches beyond its end"),
    /** No SFrame magic number in either byte order. */
    BAD_MAGIC("no SFrame magic number"),
    /** A version that no specification knows. */
    UNKNOWN_VERSION("unknown version"),
    /** An SFrame flag that its version does not define. */
    UNKNOWN_FLAGS("undefined flags"),
    /** An ABI identifier that no specification knows. */
    UNKNOWN_ABI("unknown ABI identifier"),
    /** A section of another architecture than the module's. */
    WRONG_ABI("section of another architecture"),
    /** Sub-sections that overlap or leave the section. */
    BAD_LAYOUT("sub-sections do not fit the section"),
    /** A kind of FDE or row that no specification knows. */
    UNKNOWN_TYPE("unknown FDE or row type"),
    /** A row whose data words make no rule. */
    BAD_ROW("row without a meaning"),
    /** A pointer encoding that does not exist or can't occur here. */
    BAD_ENCODING("pointer encoding not usable"),
    /** An augmentation string that is not understood. */
    UNKNOWN_AUGMENTATION("augmentation not understood"),
    /** An FDE that names no CIE. */
    NO_CIE("FDE without CIE"),
    /** A call frame instruction or DWARF operation that does not exist. */
    UNKNOWN_OPCODE("unknown opcode"),
    /** Call frame instructions out of order: unbalanced state, locations that go back. */
    BAD_PROGRAM("call frame instructions contradict each other"),
    /** Functions out of order with flag SORTED: only {@code SFrameVerifier} finds it. */
    NOT_SORTED("flag SORTED is set, but the function starts below the one before it"),
    /** A function that begins inside another one: only {@code SFrameVerifier} finds it. */
    OVERLAP("function overlaps the one before it"),
    /** A row that no address of its function leads to: only {@code SFrameVerifier} finds it. */
    ROW_OUTSIDE("row starts behind the end of its function or block"),
    /** A header that counts other rows than there are: only {@code SFrameVerifier} finds it. */
    WRONG_ROW_COUNT("header counts other rows than the functions have"),
    /** An ABI identifier that the byte order contradicts: only {@code SFrameVerifier} finds it. */
    WRONG_BYTE_ORDER("ABI identifier of the other byte order"),
    /** Bytes of an element that no structure uses: only {@code SFrameVerifier} finds it. */
    GAP("bytes that belong to nothing"),
    /** Bits that have no meaning where they are set: only {@code SFrameVerifier} finds it. */
    RESERVED_BITS("bits are set that mean nothing"),
    /** AMD64 has its return address at a fixed offset: only {@code SFrameVerifier} finds it. */
    NO_FIXED_RA("AMD64 without a fixed offset of the return address"),
    /** Data words behind those of CFA, RA and FP: only {@code SFrameVerifier} finds it. */
    TOO_MANY_WORDS("row has more words than it can use"),
    /** Two functions at one address: only {@code SFrameVerifier} finds it. */
    DUPLICATE_START("function starts where another one does"),
    /** Two rows at one address, of which the first is never used: only {@code SFrameVerifier}. */
    DUPLICATE_ROW("row starts where the one before it does"),
    /** Addresses at a function's start that have no row: only {@code SFrameVerifier} finds it. */
    LATE_FIRST_ROW("first row does not start where its function or block does"),
    /** A function without rows is the outermost only if its rows have the default form. */
    FLEX_WITHOUT_ROWS("flexible function without rows"),
    /** Elements that fix other offsets from the CFA in their headers: they can't become one. */
    OTHER_FIXED_OFFSETS("fixed offsets differ from those of the other elements"),
    /** Functions that share rows, more than the section has bytes. */
    SHARED_ROWS("functions share their rows");

    private final String text;

    Reason(String text) {
      this.text = text;
    }

    /** A short text for users. */
    public String text() {
      return text;
    }
  }

  private final Reason reason;
  private final long offset;

  /**
   * A structure that is wrong.
   *
   * @param offset of it in the section, in bytes
   */
  public MalformedSectionException(Reason reason, long offset) {
    super(reason.text + " at offset 0x" + Long.toHexString(offset), null, false, false);
    this.reason = reason;
    this.offset = offset;
  }

  /** What is wrong. */
  public Reason reason() {
    return reason;
  }

  /** Offset in the section, in bytes, of the structure that is wrong. */
  public long offset() {
    return offset;
  }
}
