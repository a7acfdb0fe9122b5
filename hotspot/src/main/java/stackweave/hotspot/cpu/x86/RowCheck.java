package stackweave.hotspot.cpu.x86;

import java.util.function.IntUnaryOperator;
import stackweave.hotspot.cpu.Cpu;

/**
 * Compares what unwind tables say of an x86-64 function with what its instructions do to rsp, as
 * {@link Cpu#contradicts} has it. Stateless.
 */
final class RowCheck {
  private static final int RETURN_WITH_ARGUMENTS = 0xc2;
  private static final int RETURN = 0xc3;

  private RowCheck() {}

  static boolean contradicts(byte[] code, int length, IntUnaryOperator rows) {
    Instruction instruction = new Instruction();
    int expected = Cpu.NO_ROW;
    for (int i = 0; i < length; i += instruction.length) {
      instruction.decode(code, i);
      if (instruction.length <= 0 || i + instruction.length > length) {
        return false;
      }
      boolean returns = isReturn(instruction);
      if (returns || instruction.pushed != 0) {
        int row = rows.applyAsInt(i);
        if (returns ? isWrong(row, Cpu.WORD) : isWrong(row, expected) && row != Cpu.NOT_BY_SP) {
          return true;
        }
        expected = row;
      }
      // Behind a call begins other code, if the call doesn't return.
      boolean goesOn =
          instruction.flow == Instruction.Flow.NEXT || instruction.flow == Instruction.Flow.BRANCH;
      boolean known = goesOn && expected != Cpu.NO_ROW && expected != Cpu.NOT_BY_SP;
      expected = known ? expected + instruction.pushed : Cpu.NO_ROW;
    }
    return false;
  }

  private static boolean isWrong(int row, int expected) {
    return row != Cpu.NO_ROW && expected != Cpu.NO_ROW && row != expected;
  }

  private static boolean isReturn(Instruction instruction) {
    return !instruction.vector
        && instruction.map == Instruction.ONE_BYTE
        && (instruction.opcode == RETURN || instruction.opcode == RETURN_WITH_ARGUMENTS);
  }
}
