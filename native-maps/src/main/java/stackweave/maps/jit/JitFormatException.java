package stackweave.maps.jit;

/** Malformed or too large descriptions of generated code: what is wrong, and where. */
public final class JitFormatException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What can be wrong with them. */
  public enum Reason {
    /** A structure reaches beyond the end. */
    TRUNCATED("structure reaches beyond its end"),
    /** No jitdump file of this byte order. */
    BAD_MAGIC("no jitdump file of this byte order"),
    /** A version that is not known. */
    UNKNOWN_VERSION("unknown version"),
    /** A record that is shorter than what it says it has. */
    BAD_RECORD("record is too short"),
    /** More bytes than are read of one source. */
    TOO_LARGE("too large"),
    /** More names, or objects, than are kept; a list that leads back to itself. */
    TOO_MANY("too many entries");

    private final String label;

    Reason(String label) {
      this.label = label;
    }

    /** A short text for users. */
    public String label() {
      return label;
    }
  }

  private final Reason reason;

  /**
   * @param offset where, in bytes from the source's begin
   */
  public JitFormatException(Reason reason, long offset) {
    super(reason.label() + " at 0x" + Long.toHexString(offset));
    this.reason = reason;
  }

  /** What is wrong. */
  public Reason reason() {
    return reason;
  }
}
