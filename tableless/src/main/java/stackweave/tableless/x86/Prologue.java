package stackweave.tableless.x86;

import stackweave.tableless.code.Processor;

/**
 * Finds what an x86-64 function with a frame pointer puts on its stack when it begins: {@code mov
 * %rsp,%rbp}, pushes, {@code sub $n,%rsp}. For a function that waits for a call, whose sp is known
 * and whose rbp is not. A function whose stack grows in a loop or behind a jump or call is not
 * understood. Stateless; allocates a decoder for each call, because results are kept by pc.
 */
final class Prologue {
  private static final int LEAVE = 0xc9;
  private static final int LEA = 0x8d;
  private static final int RSP = 4;
  private static final int RBP = 5;

  private Prologue() {}

  /** As {@link Processor#bytesBelowFp}. */
  static int bytesBelowFp(byte[] code, int length) {
    Instruction instruction = new Instruction();
    boolean set = false;
    boolean reserved = false;
    int below = 0;
    int changed = Instruction.NONE;
    for (int i = 0; i < length; i += instruction.length) {
      boolean sets = Instruction.isFpSet(code, i);
      instruction.decode(code, i);
      if (sets) {
        if (set || reserved) {
          return Processor.UNKNOWN;
        }
        set = true;
        instruction.length = 3;
        continue;
      }
      if (reserved && isCutOff(instruction, i, code.length)) {
        break;
      }
      if (reserved && isRelease(instruction)) {
        continue;
      }
      if (instruction.flow == Instruction.Flow.UNKNOWN || instruction.pushed < 0) {
        return Processor.UNKNOWN;
      }
      if (instruction.pushed != 0) {
        if (reserved) {
          return Processor.UNKNOWN; // an argument, or a stack that grows further on
        }
        changed = i;
      }
      if (instruction.flow != Instruction.Flow.NEXT) {
        if (!set || instruction.target >= 0 && instruction.target <= changed) {
          return Processor.UNKNOWN; // a stack that grows in a loop: -fstack-clash-protection
        }
        reserved = true;
      }
      below += set ? instruction.pushed : 0;
    }
    return set ? below : Processor.UNKNOWN;
  }

  /** Whether the instruction at i reaches beyond the code that was read. */
  private static boolean isCutOff(Instruction instruction, int i, int end) {
    int length = instruction.length == 0 ? Instruction.MAX_LENGTH : instruction.length;
    return instruction.flow == Instruction.Flow.UNKNOWN && i + length > end;
  }

  /**
   * Whether it takes from the stack, as a function does before it returns: {@code leave}, {@code
   * pop}, {@code add $n,%rsp}, {@code lea n(%rbp),%rsp}. What follows the return has its stack
   * back.
   */
  private static boolean isRelease(Instruction instruction) {
    boolean oneByte = instruction.map == Instruction.ONE_BYTE && !instruction.vector;
    if (!oneByte || instruction.length == 0) {
      return false;
    }
    boolean toSp = (instruction.modRm >> 3 & 7) == RSP && (instruction.rex & 4) == 0;
    boolean ofFp = (instruction.modRm & 7) == RBP && (instruction.rex & 1) == 0;
    return instruction.pushed < 0 && instruction.flow == Instruction.Flow.NEXT
        || instruction.opcode == LEAVE
        || instruction.opcode == LEA && toSp && ofFp && instruction.modRm >> 6 != 0;
  }
}
