package stackweave.tableless.x86;

import java.util.function.IntUnaryOperator;
import stackweave.tableless.code.Processor;

/**
 * Compares what unwind tables say of an x86-64 function with what its instructions do to rsp, as
 * {@link Processor#contradicts} has it. Stateless.
 */
final class RowCheck {
  private static final int RETURN_WITH_ARGUMENTS = 0xc2;
  private static final int RETURN = 0xc3;

  private RowCheck() {}

  static boolean contradicts(byte[] code, int length, IntUnaryOperator rows) {
    Instruction instruction = new Instruction();
    int expected = Processor.NO_ROW;
    for (int i = 0; i < length; i += instruction.length) {
      instruction.decode(code, i);
      if (instruction.length <= 0 || i + instruction.length > length) {
        return false;
      }
      boolean returns = isReturn(instruction);
      if (returns || instruction.pushed != 0) {
        int row = rows.applyAsInt(i);
        if (returns
            ? isWrong(row, Processor.WORD)
            : isWrong(row, expected) && row != Processor.NOT_BY_SP) {
          return true;
        }
        expected = row;
      }
      // Behind a call begins other code, if the call doesn't return.
      boolean goesOn =
          instruction.flow == Instruction.Flow.NEXT || instruction.flow == Instruction.Flow.BRANCH;
      boolean known = goesOn && expected != Processor.NO_ROW && expected != Processor.NOT_BY_SP;
      expected = known ? expected + instruction.pushed : Processor.NO_ROW;
    }
    return false;
  }

  private static boolean isWrong(int row, int expected) {
    return row != Processor.NO_ROW && expected != Processor.NO_ROW && row != expected;
  }

  private static boolean isReturn(Instruction instruction) {
    return !instruction.vector
        && instruction.map == Instruction.ONE_BYTE
        && (instruction.opcode == RETURN || instruction.opcode == RETURN_WITH_ARGUMENTS);
  }
}
