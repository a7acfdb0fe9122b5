package stackweave.tableless.x86;

import java.util.ArrayList;
import java.util.List;

/**
 * Where a function of a C library returns: its return instructions, and jumps to other functions
 * that return in its place. All its bytes are decoded one after the other, as compilers put no data
 * among instructions on x86-64. Stateless.
 */
public final class FunctionExits {
  /** Of an {@link Exit} that is a return instruction. */
  public static final int RETURN = Integer.MIN_VALUE;

  private static final int LAST_GROUP = 0xff;
  private static final int CALLS = 2;
  private static final int SYSCALL = 0x05;

  private FunctionExits() {}

  /**
   * An instruction that leaves the function.
   *
   * @param offset where it begins, in bytes from the function's begin
   * @param target where it jumps to, counted alike, or {@link #RETURN}
   */
  public record Exit(int offset, int target) {}

  /**
   * The exits of a function in ascending order. Conditional jumps out of it are none of them: they
   * lead to its rare parts, such as those that end the process.
   *
   * @param code all its bytes
   * @return null if an instruction is not understood, or a jump's target is not in the code
   */
  public static List<Exit> of(byte[] code) {
    List<Exit> exits = new ArrayList<>();
    Instruction instruction = new Instruction();
    for (int i = 0; i < code.length; i += instruction.length) {
      instruction.decode(code, i);
      if (instruction.length <= 0 || i + instruction.length > code.length) {
        return null;
      }
      if (instruction.flow == Instruction.Flow.JUMP) {
        if (instruction.target < 0 || instruction.target >= code.length) {
          exits.add(new Exit(i, instruction.target));
        }
      } else if (instruction.flow == Instruction.Flow.END
          && instruction.map == Instruction.ONE_BYTE) {
        switch (instruction.opcode) {
          case 0xc2, 0xc3 -> exits.add(new Exit(i, RETURN));
          case LAST_GROUP -> {
            if ((instruction.modRm >> 3 & 7) != CALLS) {
              return null;
            }
          }
          default -> {
            // A call, or the process ends.
          }
        }
      }
    }
    return exits;
  }

  /**
   * The offset behind the system call of a function that has one alone; −1 otherwise.
   *
   * @param code all its bytes
   */
  public static int behindSystemCall(byte[] code) {
    int found = -1;
    Instruction instruction = new Instruction();
    for (int i = 0; i < code.length; i += instruction.length) {
      instruction.decode(code, i);
      if (instruction.length <= 0) {
        return -1;
      }
      if (instruction.map == Instruction.MAP_0F
          && !instruction.vector
          && instruction.opcode == SYSCALL) {
        if (found >= 0) {
          return -1;
        }
        found = i + instruction.length;
      }
    }
    return found;
  }
}
