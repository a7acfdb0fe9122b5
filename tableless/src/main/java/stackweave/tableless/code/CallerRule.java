package stackweave.tableless.code;

import stackweave.unwind.walk.Found;

/**
 * Where a frame's return address and its caller's registers are, as the code's own instructions
 * say: the result of a {@link CodePaths}, kept by pc. {@code CallerStep} evaluates it.
 *
 * <p>A term is a register by DWARF number, an offset, and for each further element a load: {@code
 * {7, 24}} is r7 + 24; {@code {7, 24, 8}} is the word at r7 + 24, plus 8.
 *
 * @param found the way on which it was found
 * @param exits of the function's, one or more; they must give the same caller
 */
public record CallerRule(Found found, Exit... exits) {
  /**
   * Whether the caller has the same frame pointer, whichever way the function is left.
   *
   * @param fp its DWARF number; it is the first of {@code Architecture.calleeSaved}
   */
  public boolean keeps(int fp) {
    boolean keeps = true;
    for (Exit exit : exits) {
      int[] term = exit.registers()[0];
      keeps &= term != null && term.length == 2 && term[0] == fp && term[1] == 0;
    }
    return keeps;
  }

  /**
   * A way out of a function.
   *
   * @param returnAddress term of the return address
   * @param sp term of the caller's stack pointer
   * @param registers terms of the registers of {@code Architecture.calleeSaved}; null where one is
   *     not known
   */
  public record Exit(int[] returnAddress, int[] sp, int[][] registers) {}
}
