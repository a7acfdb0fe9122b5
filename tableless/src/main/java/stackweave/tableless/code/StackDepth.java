package stackweave.tableless.code;

/**
 * Computes how far the stack of a native function reaches at one of its instructions, by following
 * its machine code from its start, where a function has no unwind information. One object is
 * reused; it is not thread-safe.
 */
public interface StackDepth {
  /** Most bytes of a function's code that are looked at. */
  int MAX_CODE_BYTES = 1 << 14;

  /** In {@link State#slots}: where the register is kept is not known. */
  int UNKNOWN = -1;

  /**
   * What is known at one pc.
   *
   * @param depth bytes from sp up to the return address
   * @param slots where callee-saved registers are kept, bytes below the return address, by DWARF
   *     number: 0 where one was not changed, {@link #UNKNOWN} where it is not known
   */
  record State(int depth, int[] slots) {}

  /**
   * The state at {@code code[pc]} of the function that begins at {@code code[0]}; null if it can't
   * be told.
   *
   * @param length how many bytes of {@code code} are the function's; at most {@link
   *     #MAX_CODE_BYTES}
   */
  State at(byte[] code, int length, int pc);
}
