package stackweave.hotspot.cpu.x86;

import stackweave.hotspot.cpu.CodePatterns;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.PartialFrame;

/**
 * Recognises instruction sequences that HotSpot's code generators always emit the same way on
 * x86-64: calls, and how compiled code sets up and takes down its frame ({@code x86_64.ad}, {@code
 * c1_LIRAssembler_x86.cpp}, {@code macroAssembler_x86.cpp} of 17, 21 and 25). Stateless.
 */
final class HotSpotCodePatterns extends CodePatterns {
  /** DWARF numbers of rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi. */
  private static final int[] DWARF_REGISTERS = {0, 2, 1, 3, 7, 6, 4, 5};

  /** Bytes of {@code sub rsp, n} with an n of one byte. */
  private static final int SHORT_SUBTRACTION = 4;

  /** Bytes of a stack bang. */
  private static final int BANG_LENGTH = 7;

  /** Bytes of {@code mov reg, [r15 + n]} with an n of four bytes. */
  private static final int POLL_LOAD_LENGTH = 7;

  HotSpotCodePatterns() {
    super(new Lengths(7, 13, 16, 1, 4), FRAMELESS);
  }

  @Override
  public boolean isCallBefore(byte[] code, int end) {
    return at(code, end - 5) == 0xe8
        || isIndirectCall(code, end, 2)
        || isIndirectCall(code, end, 3)
        || isIndirectCall(code, end, 4)
        || isIndirectCall(code, end, 6)
        || isIndirectCall(code, end, 7);
  }

  /** FF /2 with a length of {@code length}, REX prefix aside. */
  private static boolean isIndirectCall(byte[] code, int end, int length) {
    if (at(code, end - length) != 0xff) {
      return false;
    }
    int modRm = at(code, end - length + 1);
    int mode = modRm >> 6;
    int rm = modRm & 7;
    if ((modRm >> 3 & 7) != 2) {
      return false;
    }
    boolean sib = mode != 3 && rm == 4;
    boolean longForm = mode == 2 || mode == 0 && rm == 5;
    boolean noBase = sib && mode == 0 && length == 7 && (at(code, end - length + 2) & 7) == 5;
    int expected = 2 + (sib ? 1 : 0) + (longForm || noBase ? 4 : mode == 1 ? 1 : 0);
    return expected == length;
  }

  /** {@code call rel32} or {@code mov reg, imm64; call reg}. */
  @Override
  public long callTarget(byte[] code, int end, long pc) {
    if (at(code, end - 2) == 0xff || at(code, end - 3) == 0x41) {
      int length = at(code, end - 3) == 0x41 ? 3 : 2;
      int move = end - length - 10;
      boolean sameRegister =
          at(code, end - length - 9) >= 0xb8
              && (at(code, end - length - 9) & 7) == (at(code, end - 1) & 7)
              && at(code, end - 1) >> 3 == 0xd0 >> 3;
      boolean wide = at(code, move) == (length == 3 ? 0x49 : 0x48);
      if (sameRegister && wide) {
        return i4(code, end - length - 8) & 0xffff_ffffL | (long) i4(code, end - length - 4) << 32;
      }
    }
    return at(code, end - 5) == 0xe8 ? pc + i4(code, end - 4) : 0;
  }

  @Override
  public int popsAt(byte[] code) {
    int count = 0;
    int i = 0;
    while (true) {
      int rex = at(code, i) == 0x41 ? 1 : 0;
      if ((at(code, i + rex) & 0xf8) != 0x58) {
        return count;
      }
      count++;
      i += rex + 1;
    }
  }

  @Override
  public int jumpRegister(byte[] code, int i) {
    int rex = at(code, i) == 0x41 ? 1 : 0;
    int register = at(code, i + 1 + rex) - 0xe0;
    if (at(code, i + rex) != 0xff || register < 0 || register > 7) {
      return -1;
    }
    return rex == 1 ? 8 + register : DWARF_REGISTERS[register];
  }

  /** {@code add rsp, n; pop rdx}. */
  @Override
  public boolean isThrowingPcPoppedBefore(byte[] code, int end, int distance) {
    for (int i = end; i > end - distance; i--) {
      if (at(code, i - 1) == 0x5a && isAddSpBefore(code, i - 1)) {
        return true;
      }
    }
    return false;
  }

  /** Nothing pushed yet, or everything popped: the return address is on top. */
  static final PartialFrame FRAMELESS = frameWithoutFp(0);

  /**
   * Stack bang, {@code push rbp; [mov rbp, rsp;] sub rsp, n} or {@code sub rsp, n; mov [rsp + m],
   * rbp}, whose n has four bytes up to JDK 25 and one, if it fits, from 26 on (MachPrologNode in
   * x86.ad). Graal has a stack bang and {@code sub rsp, n}, and saves rbp later or never
   * (AMD64HotSpotBackend.java of 22.3 and 23.1).
   */
  @Override
  public PartialFrame inPrologue(byte[] code, int entry, int pc, int limit) {
    for (int i = entry; i < limit; i++) {
      int push = pushPrologue(code, i);
      if (push > 0) {
        if (pc >= i + push) {
          return null;
        }
        return pc <= i ? FRAMELESS : PartialFrame.LINK;
      }
      PartialFrame mov = movPrologue(code, i);
      if (mov != null) {
        if (pc > i + subtractSp(code, i)) {
          return null;
        }
        return pc <= i ? FRAMELESS : mov;
      }
      int banged = i + BANG_LENGTH;
      if (isBang(code, i) && subtractSp(code, banged) > 0 && movPrologue(code, banged) == null) {
        return pc <= banged ? FRAMELESS : null;
      }
    }
    return null;
  }

  /** {@code mov [rsp - n], eax}. */
  private static boolean isBang(byte[] code, int i) {
    return at(code, i) == 0x89 && at(code, i + 1) == 0x84 && at(code, i + 2) == 0x24;
  }

  /** Length of {@code push rbp; [mov rbp, rsp;] sub rsp, n} at {@code i}, or 0. */
  private static int pushPrologue(byte[] code, int i) {
    if (at(code, i) != 0x55) {
      return 0;
    }
    int next = i + 1;
    if (isMoveOfSpToFp(code, next)) {
      next += 3;
    }
    int sub = subtractSp(code, next);
    return sub == 0 ? 0 : next + sub - i;
  }

  private static boolean isMoveOfSpToFp(byte[] code, int i) {
    return at(code, i) == 0x48
        && (at(code, i + 1) == 0x8b && at(code, i + 2) == 0xec
            || at(code, i + 1) == 0x89 && at(code, i + 2) == 0xe5);
  }

  /** Length of {@code sub rsp, n} at {@code i}, or 0. */
  private static int subtractSp(byte[] code, int i) {
    if (at(code, i) != 0x48 || at(code, i + 2) != 0xec) {
      return 0;
    }
    return at(code, i + 1) == 0x83 ? SHORT_SUBTRACTION : at(code, i + 1) == 0x81 ? 7 : 0;
  }

  /** A frame with {@code bytes} below its return address, and rbp as it was. */
  private static PartialFrame frameWithoutFp(int bytes) {
    return new PartialFrame(bytes + Cpu.WORD, bytes, PartialFrame.IN_REGISTER);
  }

  /** {@code sub rsp, n; mov [rsp + m], rbp}: the state between the two, or null. */
  private static PartialFrame movPrologue(byte[] code, int i) {
    int length = subtractSp(code, i);
    if (length == 0) {
      return null;
    }
    int store = i + length;
    boolean isStore =
        at(code, store) == 0x48
            && at(code, store + 1) == 0x89
            && (at(code, store + 2) == 0x6c || at(code, store + 2) == 0xac)
            && at(code, store + 3) == 0x24;
    int bytes = length == SHORT_SUBTRACTION ? code[i + 3] : i4(code, i + 3);
    return isStore ? frameWithoutFp(bytes) : null;
  }

  /** {@code add rsp, n; [pop rbp;] [poll;] ret}, or the slow path of the poll. */
  @Override
  public PartialFrame inEpilogue(byte[] code, int pc) {
    if (at(code, pc) == 0x5d && (isAddSpBefore(code, pc) || isLeaving(code, pc + 1))) {
      return PartialFrame.LINK;
    }
    boolean popped = at(code, pc - 1) == 0x5d && isAddSpBefore(code, pc - 1);
    return popped || isLeaving(code, pc) || isPollStub(code, pc) ? FRAMELESS : null;
  }

  private static boolean isAddSpBefore(byte[] code, int end) {
    return at(code, end - 4) == 0x48 && at(code, end - 3) == 0x83 && at(code, end - 2) == 0xc4
        || at(code, end - 7) == 0x48 && at(code, end - 6) == 0x81 && at(code, end - 5) == 0xc4;
  }

  /** A return, or what stands between the pop and the return: the safepoint poll. */
  private static boolean isLeaving(byte[] code, int i) {
    int ja = i + pollLength(code, i);
    if (ja > i || at(code, i) == 0x0f && at(code, i + 1) == 0x87) {
      // cmp rsp, [r15 + poll word]; ja slow path; ret
      return at(code, ja) == 0x0f && at(code, ja + 1) == 0x87 && isReturning(code, ja + 6);
    }
    return isReturning(code, i)
        || isPollOfGraal(code, i)
        || isPollOfGraal(code, i - POLL_LOAD_LENGTH);
  }

  /** {@code [vzeroupper;] ret}: Graal has the first behind the poll. */
  private static boolean isReturning(byte[] code, int i) {
    boolean zeroes = at(code, i) == 0xc5 && at(code, i + 1) == 0xf8 && at(code, i + 2) == 0x77;
    return isRet(code, zeroes ? i + 3 : i);
  }

  private static boolean isRet(byte[] code, int i) {
    return at(code, i) == 0xc3 || at(code, i) == 0xc2;
  }

  /**
   * {@code mov reg, [r15 + poll page]; test [reg], eax; [vzeroupper;] ret}, as Graal leaves code of
   * JDK 17 (AMD64HotSpotSafepointOp.java of 22.3).
   */
  private static boolean isPollOfGraal(byte[] code, int i) {
    boolean extended = at(code, i) == 0x4d;
    int modRm = at(code, i + 2);
    int test = i + POLL_LOAD_LENGTH + (extended ? 1 : 0);
    return (extended || at(code, i) == 0x49)
        && at(code, i + 1) == 0x8b
        && (modRm & 0xc7) == 0x87
        && (!extended || at(code, test - 1) == 0x41)
        && at(code, test) == 0x85
        && at(code, test + 1) == (modRm >> 3 & 7)
        && isReturning(code, test + 2);
  }

  private static int pollLength(byte[] code, int i) {
    if (at(code, i) != 0x49 || at(code, i + 1) != 0x3b) {
      return 0;
    }
    return at(code, i + 2) == 0xa7 ? 7 : at(code, i + 2) == 0x67 ? 4 : 0;
  }

  /** lea r10, [pc of the poll] (or mov r10, it); mov [r15 + saved exception pc], r10; jmp. */
  private static boolean isPollStub(byte[] code, int i) {
    return isLoadR10(code, i, 7) && isSaveR10(code, i + 7)
        || isLoadR10(code, i, 10) && isSaveR10(code, i + 10)
        || isLoadedR10(code, i) && isSaveR10(code, i)
        || at(code, i) == 0xe9 && isSaveR10(code, i - 7) && isLoadedR10(code, i - 7);
  }

  private static boolean isLoadedR10(byte[] code, int end) {
    return isLoadR10(code, end - 7, 7) || isLoadR10(code, end - 10, 10);
  }

  private static boolean isLoadR10(byte[] code, int i, int length) {
    return length == 7
        ? at(code, i) == 0x4c && at(code, i + 1) == 0x8d && at(code, i + 2) == 0x15
        : at(code, i) == 0x49 && at(code, i + 1) == 0xba;
  }

  private static boolean isSaveR10(byte[] code, int i) {
    return at(code, i) == 0x4d && at(code, i + 1) == 0x89 && at(code, i + 2) == 0x97;
  }

  static boolean isPopR13(byte[] code, int i) {
    return at(code, i) == 0x41 && at(code, i + 1) == 0x5d;
  }

  static boolean isMoveOfRbxToSp(byte[] code, int i) {
    return at(code, i) == 0x48
        && (at(code, i + 1) == 0x8b && at(code, i + 2) == 0xe3
            || at(code, i + 1) == 0x89 && at(code, i + 2) == 0xdc);
  }

  static boolean isJumpToR13(byte[] code, int i) {
    return at(code, i) == 0x41 && at(code, i + 1) == 0xff && at(code, i + 2) == 0xe5;
  }

  @Override
  public boolean isReturn(byte[] code, int i) {
    return isRet(code, i);
  }

  /** {@code push rbp}. */
  @Override
  public boolean isFpPush(byte[] code, int i) {
    return at(code, i) == 0x55;
  }

  /** {@code push rbp; mov rbp, rsp}. */
  @Override
  public boolean isEnter(byte[] code, int i) {
    return isFpPush(code, i) && isMoveOfSpToFp(code, i + 1);
  }

  @Override
  public boolean isLinkOnTop(byte[] code, int i) {
    boolean isPopFp = at(code, i) == 0x5d;
    return isEnter(code, i - 1) || isPopFp && isReturn(code, i + 1);
  }

  @Override
  public boolean isSavingFp(byte[] code, int i) {
    return isFpPush(code, i) || movPrologue(code, i) != null;
  }

  private static int i4(byte[] code, int i) {
    return at(code, i) | at(code, i + 1) << 8 | at(code, i + 2) << 16 | at(code, i + 3) << 24;
  }
}
