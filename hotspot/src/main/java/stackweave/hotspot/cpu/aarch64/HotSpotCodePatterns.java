package stackweave.hotspot.cpu.aarch64;

import stackweave.hotspot.cpu.CodePatterns;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.PartialFrame;

/**
 * Recognises instruction sequences that HotSpot's code generators always emit the same way on
 * AArch64: calls, and how compiled code sets up and takes down its frame ({@code
 * macroAssembler_aarch64.cpp}, {@code aarch64.ad}, {@code c1_LIRAssembler_aarch64.cpp} of 17, 21
 * and 25). Stateless.
 */
final class HotSpotCodePatterns extends CodePatterns {
  /** Bytes of the longest sequence that takes a frame down, behind its first instruction. */
  private static final int MAX_EPILOGUE_BYTES = 6 * Instruction.LENGTH;

  /** Nothing pushed yet, or everything popped: the return address is in the link register. */
  static final PartialFrame FRAMELESS = withoutLink(0);

  /** The longest call is {@code movz; movk; movk; blr}. */
  HotSpotCodePatterns() {
    super(
        new Lengths(
            Instruction.LENGTH,
            4 * Instruction.LENGTH,
            10 * Instruction.LENGTH,
            Instruction.LENGTH,
            2 * Instruction.LENGTH),
        FRAMELESS);
  }

  // Calls.

  @Override
  public boolean isCallBefore(byte[] code, int end) {
    int call = Instruction.at(code, end - Instruction.LENGTH);
    return Instruction.isBranchWithLink(call) || Instruction.isBranchToRegisterWithLink(call);
  }

  /** Of {@code adrp x16; ldr x17, [x16, ...]}, after {@code bti c} or not. */
  @Override
  public long linkageSlot(byte[] code, long address) {
    int i = Instruction.at(code, 0) == 0xd503_245f ? Instruction.LENGTH : 0;
    int page = Instruction.at(code, i);
    int load = Instruction.at(code, i + Instruction.LENGTH);
    if ((page & 0x9f00_001f) != 0x9000_0010 || (load & 0xffc0_03ff) != 0xf940_0211) {
      return 0;
    }
    long base = (address + i & -4096) + Instruction.pageOffset(page);
    return base + ((load >> 10 & 0xfff) << 3);
  }

  /**
   * The target of {@code bl}, of {@code adrp; add; blr} or {@code movz; movk; movk; blr}; of a
   * branch through a trampoline the trampoline.
   */
  @Override
  public long callTarget(byte[] code, int end, long pc) {
    int call = Instruction.at(code, end - Instruction.LENGTH);
    if (Instruction.isBranchWithLink(call)) {
      return pc - Instruction.LENGTH + ((long) (call << 6) >> 4);
    }
    if (!Instruction.isBranchToRegisterWithLink(call)) {
      return 0;
    }
    int register = call >> 5 & 31;
    int last = Instruction.at(code, end - 2 * Instruction.LENGTH);
    int before = Instruction.at(code, end - 3 * Instruction.LENGTH);
    if ((last & 0xffc0_03ff) == (0x9100_0000 | register << 5 | register)
        && (before & 0x9f00_001f) == (0x9000_0000 | register)) {
      long page = (pc - 3 * Instruction.LENGTH & -4096) + Instruction.pageOffset(before);
      return page + (last >> 10 & 0xfff);
    }
    int first = Instruction.at(code, end - 4 * Instruction.LENGTH);
    if (Instruction.isMove(last, 0xf2c0_0000, register)
        && Instruction.isMove(before, 0xf2a0_0000, register)
        && Instruction.isMove(first, 0xd280_0000, register)) {
      return Instruction.immediate(first)
          | Instruction.immediate(before) << 16
          | Instruction.immediate(last) << 32;
    }
    return 0;
  }

  /**
   * How many words the code at the start of {@code code} gives up: {@code ldp xn, xm, [sp], #16}
   * with other loads before it, or {@code add sp, sp, #n}. Not where it takes down its own frame.
   */
  @Override
  public int popsAt(byte[] code) {
    int words = 0;
    for (int i = 0; i < code.length; i += Instruction.LENGTH) {
      int instruction = Instruction.at(code, i);
      if (Instruction.isLoadOfLink(instruction) || instruction == Instruction.POP_LINK) {
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

  @Override
  public int jumpRegister(byte[] code, int i) {
    int instruction = Instruction.at(code, i);
    return (instruction & 0xffff_fc1f) == 0xd61f_0000 ? instruction >> 5 & 31 : Cpu.NONE;
  }

  // How frames are set up.

  /**
   * {@code sub sp, sp, #n; stp x29, x30, [sp, #n - 16]}, or, where n is too large for that, {@code
   * stp x29, x30, [sp, #-16]!; [mov x29, sp;] [mov x8, #m;] sub sp, sp, #m (or x8)}.
   */
  @Override
  public PartialFrame inPrologue(byte[] code, int entry, int pc, int limit) {
    for (int i = entry; i < limit; i += Instruction.LENGTH) {
      if (isFpPush(code, i)) {
        if (pc <= i) {
          return FRAMELESS;
        }
        return pc <= endOfLargeFrame(code, i + Instruction.LENGTH) ? PartialFrame.LINK : null;
      }
      int subtracted = Instruction.subtracted(Instruction.at(code, i));
      if (subtracted > 0
          && Instruction.isStoreOfLink(Instruction.at(code, i + Instruction.LENGTH))) {
        if (pc <= i) {
          return FRAMELESS;
        }
        return pc == i + Instruction.LENGTH ? withoutLink(subtracted) : null;
      }
    }
    return null;
  }

  /** Where, behind the push of the frame link, the rest of the frame is allocated. */
  private static int endOfLargeFrame(byte[] code, int from) {
    int i = from;
    while (Instruction.at(code, i) == Instruction.MOVE_SP_TO_FP
        || Instruction.isMoveToX8(Instruction.at(code, i))) {
      i += Instruction.LENGTH;
    }
    int allocation = Instruction.at(code, i);
    return Instruction.subtracted(allocation) > 0 || allocation == Instruction.SUBTRACT_X8
        ? i
        : from - Instruction.LENGTH;
  }

  @Override
  public boolean isFpPush(byte[] code, int i) {
    return Instruction.at(code, i) == Instruction.PUSH_LINK;
  }

  /** {@code stp x29, x30, [sp, #-16]!; mov x29, sp}. */
  @Override
  public boolean isEnter(byte[] code, int i) {
    return isFpPush(code, i)
        && Instruction.at(code, i + Instruction.LENGTH) == Instruction.MOVE_SP_TO_FP;
  }

  // How frames are taken down.

  /**
   * {@code ldp x29, x30, [sp, #n - 16]; add sp, sp, #n}, or {@code add sp, sp, #m; ldp x29, x30,
   * [sp], #16}, or {@code mov sp, x29; ldp x29, x30, [sp], #16}; then, up to the return, what polls
   * for a safepoint. Or the slow path of that poll.
   */
  @Override
  public PartialFrame inEpilogue(byte[] code, int pc) {
    int at = Instruction.at(code, pc);
    int before = Instruction.at(code, pc - Instruction.LENGTH);
    if (Instruction.isAddition(at) && Instruction.isLoadOfLink(before)) {
      return withoutLink(at >> 10 & 0xfff);
    }
    if (at == Instruction.POP_LINK
        && (Instruction.isAddition(before) || before == Instruction.MOVE_FP_TO_SP)) {
      return PartialFrame.LINK;
    }
    boolean leaving = isFrameTakenDownBefore(code, pc) || isPollStub(code, pc);
    return leaving ? FRAMELESS : null;
  }

  private static boolean isFrameTakenDownBefore(byte[] code, int pc) {
    for (int i = pc - Instruction.LENGTH; i >= pc - MAX_EPILOGUE_BYTES; i -= Instruction.LENGTH) {
      int instruction = Instruction.at(code, i);
      if (instruction == Instruction.POP_LINK
          || Instruction.isAddition(instruction)
              && Instruction.isLoadOfLink(Instruction.at(code, i - Instruction.LENGTH))) {
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
        || instruction == Instruction.COMPARE_SP
        || (instruction & 0xff00_0010) == 0x5400_0000 // b.cond
        || (instruction & 0x7e00_0000) == 0x3400_0000 // cbz, cbnz
        || (instruction & 0x7e00_0000) == 0x3600_0000 // tbz, tbnz
        || (instruction & 0xffff_fbff) == 0xdac1_13be; // autia, autib x30, x29
  }

  /** {@code adr x8, [pc of the poll]; str x8, [x28 + saved exception pc]; b}. */
  private static boolean isPollStub(byte[] code, int i) {
    return isSaveOfPollPc(code, i)
        || isSaveOfPollPc(code, i - Instruction.LENGTH)
        || isSaveOfPollPc(code, i - 2 * Instruction.LENGTH);
  }

  private static boolean isSaveOfPollPc(byte[] code, int i) {
    return (Instruction.at(code, i) & 0x9f00_001f) == 0x1000_0008
        && (Instruction.at(code, i + Instruction.LENGTH) & 0xffc0_03ff) == 0xf900_0388;
  }

  @Override
  public boolean isReturn(byte[] code, int i) {
    return Instruction.at(code, i) == Instruction.RETURN;
  }

  @Override
  public boolean isLinkOnTop(byte[] code, int i) {
    return isEnter(code, i - Instruction.LENGTH) || isPopLink(code, i);
  }

  static boolean isPopLink(byte[] code, int i) {
    return Instruction.at(code, i) == Instruction.POP_LINK;
  }

  /** Whether {@code add x29, sp, #n} ends right before {@code code[i]}. */
  static boolean isFpSetBefore(byte[] code, int i) {
    return (Instruction.at(code, i - Instruction.LENGTH) & 0xffc0_03ff) == 0x9100_03fd;
  }

  /** Whether {@code ldp x29, x3, [sp], #16} was run within {@code distance} bytes. */
  @Override
  public boolean isThrowingPcPoppedBefore(byte[] code, int end, int distance) {
    for (int i = end - Instruction.LENGTH; i >= end - distance; i -= Instruction.LENGTH) {
      if (Instruction.at(code, i) == Instruction.POP_FP_AND_X3) {
        return true;
      }
    }
    return false;
  }

  /** Whether the interpreter's stack pointer becomes the machine's: {@code and sp, x20, #-16}. */
  static boolean isMoveOfEspToSp(byte[] code, int i) {
    int instruction = Instruction.at(code, i);
    return instruction == Instruction.ALIGN_ESP_TO_SP || instruction == Instruction.MOVE_ESP_TO_SP;
  }

  /** A routine's first instruction that makes room and the second that stores the link there. */
  @Override
  public boolean isSavingFp(byte[] code, int i) {
    return isFpPush(code, i)
        || Instruction.subtracted(Instruction.at(code, i)) > 0
            && Instruction.isStoreOfLink(Instruction.at(code, i + Instruction.LENGTH));
  }

  /** {@code bytes} allocated, return address and frame pointer still in their registers. */
  private static PartialFrame withoutLink(int bytes) {
    return new PartialFrame(bytes, PartialFrame.IN_REGISTER, PartialFrame.IN_REGISTER);
  }
}
