package stackweave.hotspot.cpu.aarch64;

import stackweave.hotspot.cpu.CodePatterns;

/**
 * Single AArch64 instructions, as the 32-bit words that they are (Arm Architecture Reference
 * Manual, A64 base instructions): those that HotSpot's frames are recognised by. Stateless.
 */
final class Instruction {
  /** Bytes of every instruction. */
  static final int LENGTH = 4;

  static final int X29 = 29;
  static final int X30 = 30;
  static final int SP = 31;

  static final int PUSH_LINK = 0xa9bf7bfd; // stp x29, x30, [sp, #-16]!
  static final int POP_LINK = 0xa8c17bfd; // ldp x29, x30, [sp], #16
  static final int POP_FP_AND_X3 = 0xa8c10ffd; // ldp x29, x3, [sp], #16
  static final int MOVE_SP_TO_FP = 0x910003fd; // mov x29, sp
  static final int MOVE_FP_TO_SP = 0x910003bf; // mov sp, x29
  static final int SUBTRACT_X8 = 0xcb2863ff; // sub sp, sp, x8
  static final int ADD_X8 = 0x8b2863ff; // add sp, sp, x8
  static final int RETURN = 0xd65f03c0; // ret
  static final int MOVE_ESP_TO_SP = 0x9100029f; // mov sp, x20
  static final int ALIGN_ESP_TO_SP = 0x927cee9f; // and sp, x20, #-16
  static final int COMPARE_SP = 0xeb2863ff; // cmp sp, x8

  private Instruction() {}

  static boolean isBranchWithLink(int instruction) {
    return (instruction & 0xfc00_0000) == 0x9400_0000;
  }

  /** {@code blr xn}, and with pointer authentication {@code blraa} and its variants. */
  static boolean isBranchToRegisterWithLink(int instruction) {
    return (instruction & 0xfeff_f000) == 0xd63f_0000;
  }

  static boolean isMove(int instruction, int form, int register) {
    return (instruction & 0xffe0_001f) == (form | register);
  }

  static long immediate(int move) {
    return move >> 5 & 0xffff;
  }

  /** What {@code adrp} adds to the page of its pc. */
  static long pageOffset(int adrp) {
    long pages = (long) (adrp << 8 >> 13) << 2 | adrp >>> 29 & 3;
    return pages << 12;
  }

  static boolean isMoveToX8(int instruction) {
    int form = instruction & 0xff80_001f;
    return form == 0xd280_0008 || form == 0xf280_0008 || form == 0x5280_0008;
  }

  /** Bytes that {@code sub sp, sp, #n} takes; 0 where it is another instruction. */
  static int subtracted(int instruction) {
    int bytes = instruction >> 10 & 0xfff;
    return switch (instruction & 0xffc0_03ff) {
      case 0xd100_03ff -> bytes;
      case 0xd140_03ff -> bytes << 12;
      default -> 0;
    };
  }

  static boolean isAddition(int instruction) {
    return (instruction & 0xff80_03ff) == 0x9100_03ff || instruction == ADD_X8;
  }

  /** {@code stp x29, x30, [sp, #n]}. */
  static boolean isStoreOfLink(int instruction) {
    return (instruction & 0xffc0_7fff) == (0xa900_0000 | X30 << 10 | SP << 5 | X29);
  }

  /** {@code ldp x29, x30, [sp, #n]}. */
  static boolean isLoadOfLink(int instruction) {
    return (instruction & 0xffc0_7fff) == (0xa940_0000 | X30 << 10 | SP << 5 | X29);
  }

  /** The instruction, or 0, which is none, outside of what was copied. */
  static int at(byte[] code, int i) {
    if (i < 0 || i + LENGTH > code.length) {
      return 0;
    }
    return CodePatterns.at(code, i)
        | CodePatterns.at(code, i + 1) << 8
        | CodePatterns.at(code, i + 2) << 16
        | CodePatterns.at(code, i + 3) << 24;
  }
}
