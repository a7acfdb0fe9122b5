package stackweave.maps.elf;

/**
 * An ELF image, or a part of it, that can't be used: what is wrong, and where. Any malformed file
 * must end in this exception; the broken part then counts as absent, and the reason is kept with
 * the module.
 */
public final class ElfFormatException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What can be wrong with an image. */
  public enum Reason {
    NOT_ELF("not an ELF file"),
    UNSUPPORTED_CLASS("not a 64-bit ELF"),
    UNSUPPORTED_MACHINE("ELF of another processor"),
    BAD_HEADER("bad ELF header"),
    OUT_OF_BOUNDS("position outside the image"),
    BAD_SYMBOLS("bad symbol table"),
    BAD_DYNAMIC("bad dynamic section"),
    BAD_NOTE("bad note"),
    BAD_COMPRESSION("bad compressed section"),
    UNSUPPORTED_COMPRESSION("compression method not supported"),
    TOO_LARGE("larger than what is read"),
    /** The file has no addresses, which rows need. */
    RELOCATABLE("relocatable object, link it first"),
    /** The section can't be added twice. */
    HAS_SFRAME("has .sframe already"),
    /** A segment can't be added. */
    NO_SEGMENTS("no loaded segment"),
    UNREADABLE("not readable"),
    /** The path leads to another file than the one that was opened, or it has changed. */
    CHANGED("file changed since it was opened");

    private final String label;

    Reason(String label) {
      this.label = label;
    }

    /** A few words for users. */
    public String label() {
      return label;
    }
  }

  private final Reason reason;
  private final long offset;

  /**
   * @param offset a file offset, or an ELF virtual address for an image read from memory
   */
  public ElfFormatException(Reason reason, long offset) {
    super(reason.label() + " at 0x" + Long.toHexString(offset));
    this.reason = reason;
    this.offset = offset;
  }

  /** What is wrong. */
  public Reason reason() {
    return reason;
  }

  /** Where: a file offset, or an ELF virtual address for an image read from memory. */
  public long offset() {
    return offset;
  }
}
