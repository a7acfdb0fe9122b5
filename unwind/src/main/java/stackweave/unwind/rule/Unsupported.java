package stackweave.unwind.rule;

/** The reasons why unwind information can't be a rule. */
public enum Unsupported {
  /** A DWARF expression that can't be evaluated. */
  EXPRESSION("DWARF expression"),
  /** A register that the architecture's numbering does not have. */
  REGISTER("register number"),
  /** An offset of more than 31 bits. */
  OFFSET("offset too large"),
  /** No rule for the return address where the architecture has no link register. */
  NO_RETURN_ADDRESS("no return address rule"),
  /** More remembered states or rows than are kept. */
  TOO_LARGE("function too large"),
  /** The function's bytes are malformed. */
  MALFORMED("malformed"),
  /** CFA = *(register + x) + y: SFrame adds nothing after the load. Only where rows are written. */
  SFRAME_CFA("CFA is *(register + x) + y, SFrame has no y"),
  /** Any other rule that has no SFrame row: only where rows are written. */
  SFRAME_ROW("no SFrame row says this"),
  /** The caller's stack pointer is not the CFA, as at the end of {@code longjmp}. */
  STACK_POINTER("stack pointer elsewhere"),
  /** The rule table is full. */
  TABLE_FULL("rule table full");

  private final String label;

  Unsupported(String label) {
    this.label = label;
  }

  /** A short text for users. */
  public String label() {
    return label;
  }
}
