package stackweave.maps.elf;

/**
 * An ELF image, or a part of it, that can't be used: what is wrong, and where.
 *
 * <p>Whatever a broken file can do ends here. The part that is broken then counts as absent and the
 * reason is kept with the module.
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
    BAD_STRING("bad string table"),
    BAD_SYMBOLS("bad symbol table"),
    BAD_DYNAMIC("bad dynamic section"),
    BAD_NOTE("bad note"),
    BAD_EH_FRAME_HDR("bad .eh_frame_hdr"),
    BAD_COMPRESSION("bad compressed section"),
    UNSUPPORTED_COMPRESSION("compression method not supported"),
    TOO_LARGE("larger than what is read"),
    /** Where rows shall be made, which need addresses. */
    RELOCATABLE("relocatable object, link it first"),
    /** Where a section shall be added. */
    HAS_SFRAME("has .sframe already"),
    /** Where a segment shall be added. */
    NO_SEGMENTS("no loaded segment"),
    UNREADABLE("not readable"),
    /** It is no longer the file that was opened. */
    CHANGED("file changed since it was opened");

    private final String label;

    Reason(String label) {
      this.label = label;
    }

    /** A few words for people. */
    public String label() {
      return label;
    }
  }

  private final Reason reason;
  private final long offset;

  public ElfFormatException(Reason reason, long offset) {
    super(reason.label() + " at 0x" + Long.toHexString(offset));
    this.reason = reason;
    this.offset = offset;
  }

  public Reason reason() {
    return reason;
  }

  /** Where: a file offset, or an ELF virtual address where the image was read from memory. */
  public long offset() {
    return offset;
  }
}
