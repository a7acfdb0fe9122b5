package stackweave.hotspot.cpu.x86;

import static stackweave.hotspot.cpu.CodePatterns.at;

import stackweave.hotspot.cpu.Cpu;

/**
 * What an x86-64 function with a frame pointer puts on its stack when it begins: {@code mov
 * %rsp,%rbp}, pushes, {@code sub $n,%rsp}. For a function that waits for a call, whose sp is known
 * and whose rbp is not. Stateless; allocates one decoder a call, for results are kept by pc.
 */
final class Prologue {
  private Prologue() {}

  /** As {@link Cpu#bytesBelowFp}. */
  static int bytesBelowFp(byte[] code, int length) {
    Instruction instruction = new Instruction();
    boolean set = false;
    int below = 0;
    for (int i = 0; i < length; i += instruction.length) {
      boolean sets = isFpSet(code, i);
      instruction.decode(code, i);
      if (sets) {
        if (set) {
          return Cpu.NONE;
        }
        set = true;
        instruction.length = 3;
        continue;
      }
      if (instruction.flow == Instruction.Flow.UNKNOWN || instruction.pushed < 0) {
        return Cpu.NONE;
      }
      if (instruction.flow != Instruction.Flow.NEXT) {
        break; // a jump or a call: what a function reserves, it has reserved by then
      }
      below += set ? instruction.pushed : 0;
    }
    return set ? below : Cpu.NONE;
  }

  /** {@code mov %rsp,%rbp}, in either encoding. */
  private static boolean isFpSet(byte[] code, int i) {
    return at(code, i) == 0x48
        && (at(code, i + 1) == 0x89 && at(code, i + 2) == 0xe5
            || at(code, i + 1) == 0x8b && at(code, i + 2) == 0xec);
  }
}
