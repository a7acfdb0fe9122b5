package stackweave.unwind.rule;

/** Where the unwind information of a module comes from. */
public enum UnwindSource {
  /** An SFrame section whose first element has version 1. */
  SFRAME_V1("sframe V1"),
  /** An SFrame section whose first element has version 2. */
  SFRAME_V2("sframe V2"),
  /** An SFrame section whose first element has version 3. */
  SFRAME_V3("sframe V3"),
  /** Rows derived from .eh_frame. */
  EH_FRAME("eh_frame"),
  /** Rows derived from .debug_frame. */
  DEBUG_FRAME("debug_frame"),
  /** Nothing usable. */
  NONE("none");

  private final String label;

  UnwindSource(String label) {
    this.label = label;
  }

  /** The name in recordings and listings. */
  public String label() {
    return label;
  }
}
