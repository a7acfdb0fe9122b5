package stackweave.hotspot.cpu.aarch64;

import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.PartialFrame;

/**
 * Recognises the few instruction sequences that HotSpot's code generators always emit the same way
 * on AArch64: calls, and how compiled code sets up and takes down its frame ({@code
 * macroAssembler_aarch64.cpp}, {@code aarch64.ad}, {@code c1_LIRAssembler_aarch64.cpp} of 17, 21
 * and 25).
 */
final class CodePatterns {
  static final int INSTRUCTION = 4;

  /** Bytes of the longest sequence that takes a frame down, behind its first instruction. */
  private static final int LONGEST_EPILOGUE = 6 * INSTRUCTION;

  private static final int X29 = 29;
  private static final int X30 = 30;
  private static final int SP = 31;

  private static final int PUSH_LINK = 0xa9bf7bfd; // stp x29, x30, [sp, #-16]!
  private static final int POP_LINK = 0xa8c17bfd; // ldp x29, x30, [sp], #16
  private static final int POP_FP_AND_X3 = 0xa8c10ffd; // ldp x29, x3, [sp], #16
  private static final int MOVE_SP_TO_FP = 0x910003fd; // mov x29, sp
  private static final int MOVE_FP_TO_SP = 0x910003bf; // mov sp, x29
  private static final int SUBTRACT_X8 = 0xcb2863ff; // sub sp, sp, x8
  private static final int ADD_X8 = 0x8b2863ff; // add sp, sp, x8
  private static final int RETURN = 0xd65f03c0; // ret
  private static final int MOVE_ESP_TO_SP = 0x9100029f; // mov sp, x20
  private static final int ALIGN_ESP_TO_SP = 0x927cee9f; // and sp, x20, #-16
  private static final int SYSTEM_CALL = 0xd4000001; // svc #0
  private static final int CLONE = 0xd2801b88; // mov x8, #220
  private static final int CLONE3 = 0xd2803668; // mov x8, #435
  private static final int COMPARE_SP = 0xeb2863ff; // cmp sp, x8

  /** Nothing pushed yet, or everything popped: the return address is in the link register. */
  static final PartialFrame FRAMELESS = withoutLink(0);

  private CodePatterns() {}

  // Calls.

  static boolean isCallBefore(byte[] code, int end) {
    int call = instruction(code, end - INSTRUCTION);
    return isBranchWithLink(call) || isBranchToRegisterWithLink(call);
  }

  private static boolean isBranchWithLink(int instruction) {
    return (instruction & 0xfc00_0000) == 0x9400_0000;
  }

  /** {@code blr xn}, and with pointer authentication {@code blraa} and its kin. */
  private static boolean isBranchToRegisterWithLink(int instruction) {
    return (instruction & 0xfeff_f000) == 0xd63f_0000;
  }

  /** Bytes of {@code movz; movk; movk; blr}. */
  static final int LONGEST_KNOWN_CALL = 4 * INSTRUCTION;

  /**
   * The target of {@code bl}, of {@code adrp; add; blr} or {@code movz; movk; movk; blr}; of a
   * branch through a trampoline the trampoline.
   */
  static long callTarget(byte[] code, int end, long pc) {
    int call = instruction(code, end - INSTRUCTION);
    if (isBranchWithLink(call)) {
      return pc - INSTRUCTION + ((long) (call << 6) >> 4);
    }
    if (!isBranchToRegisterWithLink(call)) {
      return 0;
    }
    int register = call >> 5 & 31;
    int last = instruction(code, end - 2 * INSTRUCTION);
    int before = instruction(code, end - 3 * INSTRUCTION);
    if ((last & 0xffc0_03ff) == (0x9100_0000 | register << 5 | register)
        && (before & 0x9f00_001f) == (0x9000_0000 | register)) {
      long page = (pc - 3 * INSTRUCTION & -4096) + pageOffset(before);
      return page + (last >> 10 & 0xfff);
    }
    int first = instruction(code, end - 4 * INSTRUCTION);
    if (isMove(last, 0xf2c0_0000, register)
        && isMove(before, 0xf2a0_0000, register)
        && isMove(first, 0xd280_0000, register)) {
      return immediate(first) | immediate(before) << 16 | immediate(last) << 32;
    }
    return 0;
  }

  private static boolean isMove(int instruction, int form, int register) {
    return (instruction & 0xffe0_001f) == (form | register);
  }

  private static long immediate(int move) {
    return move >> 5 & 0xffff;
  }

  /** What {@code adrp} adds to the page of its pc. */
  private static long pageOffset(int adrp) {
    long pages = (long) (adrp << 8 >> 13) << 2 | adrp >>> 29 & 3;
    return pages << 12;
  }

  /** Bytes that hold the longest run of loads that give up pushed words. */
  static final int LONGEST_POPS = 10 * INSTRUCTION;

  /**
   * How many words the code at the start of {@code code} gives up: {@code ldp xn, xm, [sp], #16}
   * with other loads before it, or {@code add sp, sp, #n}. Not where it takes down its own frame.
   */
  static int popsAt(byte[] code) {
    int words = 0;
    for (int i = 0; i < code.length; i += INSTRUCTION) {
      int instruction = instruction(code, i);
      if (isLoadOfLink(instruction) || instruction == POP_LINK) {
        return 0;
      }
      if ((instruction & 0xffc0_03e0) == 0xa8c0_03e0) { // ldp xn, xm, [sp], #8 * n
        words += instruction << 10 >> 25;
      } else if ((instruction & 0xffe0_0fe0) == 0xf840_07e0) { // ldr xn, [sp], #n
        words += (instruction << 11 >> 23) / Cpu.WORD;
      } else if ((instruction & 0xffc0_03ff) == 0x9100_03ff) { // add sp, sp, #n
        words += (instruction >> 10 & 0xfff) / Cpu.WORD;
      } else if ((instruction & 0xffc0_03e0) != 0xa940_03e0) { // ldp xn, xm, [sp, #n]
        return words;
      }
    }
    return words;
  }

  /** {@code br xn}. */
  static int jumpRegister(byte[] code, int i) {
    int instruction = instruction(code, i);
    return (instruction & 0xffff_fc1f) == 0xd61f_0000 ? instruction >> 5 & 31 : Cpu.NONE;
  }

  // How frames are set up.

  /**
   * {@code sub sp, sp, #n; stp x29, x30, [sp, #n - 16]}, or, where n is too large for that, {@code
   * stp x29, x30, [sp, #-16]!; [mov x29, sp;] [mov x8, #m;] sub sp, sp, #m (or x8)}.
   */
  static PartialFrame inPrologue(byte[] code, int entry, int pc, int limit) {
    for (int i = entry; i < limit; i += INSTRUCTION) {
      if (isPushLink(code, i)) {
        if (pc <= i) {
          return FRAMELESS;
        }
        return pc <= endOfLargeFrame(code, i + INSTRUCTION) ? PartialFrame.LINK : null;
      }
      int subtracted = subtracted(instruction(code, i));
      if (subtracted > 0 && isStoreOfLink(instruction(code, i + INSTRUCTION))) {
        if (pc <= i) {
          return FRAMELESS;
        }
        return pc == i + INSTRUCTION ? withoutLink(subtracted) : null;
      }
    }
    return null;
  }

  /** Where, behind the push of the frame link, the rest of the frame is allocated. */
  private static int endOfLargeFrame(byte[] code, int from) {
    int i = from;
    while (instruction(code, i) == MOVE_SP_TO_FP || isMoveToX8(instruction(code, i))) {
      i += INSTRUCTION;
    }
    int allocation = instruction(code, i);
    return subtracted(allocation) > 0 || allocation == SUBTRACT_X8 ? i : from - INSTRUCTION;
  }

  private static boolean isMoveToX8(int instruction) {
    int form = instruction & 0xff80_001f;
    return form == 0xd280_0008 || form == 0xf280_0008 || form == 0x5280_0008;
  }

  static boolean isPushLink(byte[] code, int i) {
    return instruction(code, i) == PUSH_LINK;
  }

  /** {@code stp x29, x30, [sp, #-16]!; mov x29, sp}. */
  static boolean isEnter(byte[] code, int i) {
    return isPushLink(code, i) && instruction(code, i + INSTRUCTION) == MOVE_SP_TO_FP;
  }

  /** Bytes that {@code sub sp, sp, #n} takes; 0 where it is another instruction. */
  private static int subtracted(int instruction) {
    int bytes = instruction >> 10 & 0xfff;
    return switch (instruction & 0xffc0_03ff) {
      case 0xd100_03ff -> bytes;
      case 0xd140_03ff -> bytes << 12;
      default -> 0;
    };
  }

  private static boolean isAddition(int instruction) {
    return (instruction & 0xff80_03ff) == 0x9100_03ff || instruction == ADD_X8;
  }

  /** {@code stp x29, x30, [sp, #n]}. */
  private static boolean isStoreOfLink(int instruction) {
    return (instruction & 0xffc0_7fff) == (0xa900_0000 | X30 << 10 | SP << 5 | X29);
  }

  /** {@code ldp x29, x30, [sp, #n]}. */
  private static boolean isLoadOfLink(int instruction) {
    return (instruction & 0xffc0_7fff) == (0xa940_0000 | X30 << 10 | SP << 5 | X29);
  }

  // How frames are taken down.

  /**
   * {@code ldp x29, x30, [sp, #n - 16]; add sp, sp, #n}, or {@code add sp, sp, #m; ldp x29, x30,
   * [sp], #16}, or {@code mov sp, x29; ldp x29, x30, [sp], #16}; then, up to the return, what polls
   * for a safepoint. Or the slow path of that poll.
   */
  static PartialFrame inEpilogue(byte[] code, int pc) {
    int at = instruction(code, pc);
    int before = instruction(code, pc - INSTRUCTION);
    if (isAddition(at) && isLoadOfLink(before)) {
      return withoutLink(at >> 10 & 0xfff);
    }
    if (at == POP_LINK && (isAddition(before) || before == MOVE_FP_TO_SP)) {
      return PartialFrame.LINK;
    }
    boolean leaving = isFrameTakenDownBefore(code, pc) || isPollStub(code, pc);
    return leaving ? FRAMELESS : null;
  }

  private static boolean isFrameTakenDownBefore(byte[] code, int pc) {
    for (int i = pc - INSTRUCTION; i >= pc - LONGEST_EPILOGUE; i -= INSTRUCTION) {
      int instruction = instruction(code, i);
      if (instruction == POP_LINK
          || isAddition(instruction) && isLoadOfLink(instruction(code, i - INSTRUCTION))) {
        return true;
      }
      if (!isBetweenPopAndReturn(instruction)) {
        return false;
      }
    }
    return false;
  }

  /** Loads, comparisons and conditional branches: of the safepoint poll, of pending exceptions. */
  private static boolean isBetweenPopAndReturn(int instruction) {
    return (instruction & 0xffc0_001f) == 0xf940_0008 // ldr x8, [xn, #m]
        || instruction == COMPARE_SP
        || (instruction & 0xff00_0010) == 0x5400_0000 // b.cond
        || (instruction & 0x7e00_0000) == 0x3400_0000 // cbz, cbnz
        || (instruction & 0x7e00_0000) == 0x3600_0000 // tbz, tbnz
        || (instruction & 0xffff_fbff) == 0xdac1_13be; // autia, autib x30, x29
  }

  /** {@code adr x8, [pc of the poll]; str x8, [x28 + saved exception pc]; b}. */
  private static boolean isPollStub(byte[] code, int i) {
    return isSaveOfPollPc(code, i)
        || isSaveOfPollPc(code, i - INSTRUCTION)
        || isSaveOfPollPc(code, i - 2 * INSTRUCTION);
  }

  private static boolean isSaveOfPollPc(byte[] code, int i) {
    return (instruction(code, i) & 0x9f00_001f) == 0x1000_0008
        && (instruction(code, i + INSTRUCTION) & 0xffc0_03ff) == 0xf900_0388;
  }

  static boolean isReturn(byte[] code, int i) {
    return instruction(code, i) == RETURN;
  }

  static boolean isPopLink(byte[] code, int i) {
    return instruction(code, i) == POP_LINK;
  }

  /** Whether {@code add x29, sp, #n} ends right before {@code code[i]}. */
  static boolean isFpSetBefore(byte[] code, int i) {
    return (instruction(code, i - INSTRUCTION) & 0xffc0_03ff) == 0x9100_03fd;
  }

  /** Whether {@code ldp x29, x3, [sp], #16} was run within {@code distance} bytes. */
  static boolean isX3PoppedBefore(byte[] code, int end, int distance) {
    for (int i = end - INSTRUCTION; i >= end - distance; i -= INSTRUCTION) {
      if (instruction(code, i) == POP_FP_AND_X3) {
        return true;
      }
    }
    return false;
  }

  /** Whether the interpreter's stack pointer becomes the machine's: {@code and sp, x20, #-16}. */
  static boolean isMoveOfEspToSp(byte[] code, int i) {
    int instruction = instruction(code, i);
    return instruction == ALIGN_ESP_TO_SP || instruction == MOVE_ESP_TO_SP;
  }

  /** A routine's first instruction that makes room and the second that stores the link there. */
  static boolean isSavingLink(byte[] code, int i) {
    return isPushLink(code, i)
        || subtracted(instruction(code, i)) > 0
            && isStoreOfLink(instruction(code, i + INSTRUCTION));
  }

  // The kernel.

  static boolean isSystemCallBefore(byte[] code, int end) {
    return instruction(code, end - INSTRUCTION) == SYSTEM_CALL;
  }

  static boolean isCloneWithin(byte[] code, int end) {
    for (int i = end; i >= 2 * INSTRUCTION; i -= INSTRUCTION) {
      int number = instruction(code, i - 2 * INSTRUCTION);
      if (isSystemCallBefore(code, i) && (number == CLONE || number == CLONE3)) {
        return true;
      }
    }
    return false;
  }

  /** {@code bytes} allocated, return address and frame pointer still in their registers. */
  private static PartialFrame withoutLink(int bytes) {
    return new PartialFrame(bytes, PartialFrame.IN_REGISTER, PartialFrame.IN_REGISTER);
  }

  /** The instruction, or 0, which is none, outside of what was copied. */
  private static int instruction(byte[] code, int i) {
    if (i < 0 || i + INSTRUCTION > code.length) {
      return 0;
    }
    return Cpu.at(code, i)
        | Cpu.at(code, i + 1) << 8
        | Cpu.at(code, i + 2) << 16
        | Cpu.at(code, i + 3) << 24;
  }
}
