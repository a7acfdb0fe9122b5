package stackweave.unwind;

/**
 * The unwind information of one module: from an ELF virtual address to a rule in a {@link
 * RuleTable}.
 */
public interface UnwindTable {

  /** No function covers the address. */
  int NO_RULE = -1;

  /**
   * The rule for the instruction at {@code address}.
   *
   * @param address ELF virtual address (runtime address minus the module's bias); for a return
   *     address the caller passes the address minus one
   * @return the id of a rule in the table given when this was opened, or {@link #NO_RULE}; a
   *     function whose information can't be expressed gives a rule that stops with {@link
   *     StopReason#UNSUPPORTED_RULE}. No allocation but at the first hit of a function.
   */
  int find(long address);
}
