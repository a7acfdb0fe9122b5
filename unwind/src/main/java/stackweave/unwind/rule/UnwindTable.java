package stackweave.unwind.rule;

/**
 * The unwind information of one module: from an ELF virtual address to a rule in a {@link
 * RuleTable}.
 *
 * <p>Belongs to the thread that unwinds, as the rule table does.
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
   *     stackweave.unwind.StopReason#UNSUPPORTED_RULE}. No allocation but at the first hit of a
   *     function.
   */
  int find(long address);

  /** No function covers the address, or none is on that side of it. */
  long NO_ADDRESS = -1;

  /**
   * Where the function that covers an address begins, as the unwind information has it: compilers
   * describe each function by itself, also those that have no symbol. A part of a function that
   * lies elsewhere ({@code .cold}) is a function of its own here.
   *
   * @param address ELF virtual address, as for {@link #find}
   * @return ELF virtual address, or {@link #NO_ADDRESS}; no allocation but at the first hit of a
   *     function
   */
  default long functionStart(long address) {
    return NO_ADDRESS;
  }

  /**
   * Where the last function that begins at or below an address ends.
   *
   * @param address an ELF virtual address
   * @return the first ELF virtual address behind that function, or {@link #NO_ADDRESS}
   */
  default long functionEndBelow(long address) {
    return NO_ADDRESS;
  }

  /**
   * Where the first function that begins above an address begins.
   *
   * @param address an ELF virtual address
   * @return ELF virtual address, or {@link #NO_ADDRESS}
   */
  default long functionStartAbove(long address) {
    return NO_ADDRESS;
  }

  /** The source of the rules, or of most of them. */
  default UnwindSource source() {
    return UnwindSource.NONE;
  }

  /**
   * Whether the information at an address marks signal frames as such. SFrame does since version 3,
   * and a section can hold elements of several versions; a rule that comes from elsewhere may be
   * that of a signal trampoline.
   *
   * @param address ELF virtual address, as for {@link #find}
   */
  default boolean marksSignalFrames(long address) {
    return source() != UnwindSource.SFRAME_V1 && source() != UnwindSource.SFRAME_V2;
  }

  /**
   * Why it is this {@link #source} and no better one, in a few words for users; empty where there
   * is nothing to explain.
   */
  default String why() {
    return "";
  }

  /** How many functions the source describes. */
  default int functionCount() {
    return 0;
  }

  /** How many lookups the {@link #source} had no row for and .eh_frame answered. */
  default long fallbackCount() {
    return 0;
  }
}
