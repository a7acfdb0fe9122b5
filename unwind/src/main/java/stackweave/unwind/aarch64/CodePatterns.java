package stackweave.unwind.aarch64;

/**
 * AArch64 code that is known by its instructions: the sigreturn trampoline, where musl begins
 * threads, and PLT entries, for which no linker writes unwind information. Instructions are little
 * endian, whatever the data is.
 */
public final class CodePatterns {
  /** {@link #pushedByPlt} of other code. */
  public static final int NO_PLT = -1;

  private static final int SIGRETURN = 0xd280_1168; // mov x8, #139
  private static final int SVC = 0xd400_0001;
  private static final int EXIT = 0xd280_0ba8; // mov x8, #93
  private static final int CALL_BY_REGISTER = 0xd63f_0000;
  private static final int CALL_BY_REGISTER_MASK = 0xffff_fc1f;

  /** A PLT entry has at most 6 instructions, the first one of a PLT has 8. */
  private static final int MAX_PLT = 8;

  private static final int PUSHED_BYTES = 16;

  private CodePatterns() {}

  /**
   * Whether this is the trampoline: at its first instruction or, interrupted, at its system call.
   *
   * @param code with 32 readable bytes on either side of {@code at}
   */
  public static boolean isSigreturn(byte[] code, int at, boolean interrupted) {
    return isTrampoline(code, at) || (interrupted && isTrampoline(code, at - 4));
  }

  /**
   * Whether this is behind the call by which musl begins a thread (src/thread/aarch64/clone.s):
   * nothing has called that code.
   *
   * @param code with 32 readable bytes on either side of {@code at}
   */
  public static boolean isFirst(byte[] code, int at) {
    return (instruction(code, at - 4) & CALL_BY_REGISTER_MASK) == CALL_BY_REGISTER
        && instruction(code, at) == EXIT
        && instruction(code, at + 4) == SVC;
  }

  private static boolean isTrampoline(byte[] code, int at) {
    return instruction(code, at) == SIGRETURN && instruction(code, at + 4) == SVC;
  }

  /**
   * How many bytes the PLT code before {@code at} has pushed. In an entry nothing is pushed: RA in
   * the link register, CFA = sp. The first entry pushes x16 and x30: behind that, CFA = sp + 16 and
   * RA at CFA - 8.
   *
   * @param code with 32 readable bytes on either side of {@code at}
   * @return 0 or 16; {@link #NO_PLT} for code of another kind
   */
  public static int pushedByPlt(byte[] code, int at) {
    // All instructions up to "br x17" must be PLT code.
    int ahead = 0;
    while (ahead < MAX_PLT && !isBranch(instruction(code, at + 4 * ahead))) {
      if (!isPlt(instruction(code, at + 4 * ahead))) {
        return NO_PLT;
      }
      ahead++;
    }
    if (ahead == MAX_PLT) {
      return NO_PLT;
    }
    for (int back = 1; back < MAX_PLT; back++) {
      int before = instruction(code, at - 4 * back);
      if (isPush(before)) {
        return PUSHED_BYTES;
      }
      if (!isPlt(before)) {
        break;
      }
    }
    return 0;
  }

  private static int instruction(byte[] code, int at) {
    return (code[at] & 0xff)
        | (code[at + 1] & 0xff) << 8
        | (code[at + 2] & 0xff) << 16
        | code[at + 3] << 24;
  }

  private static boolean isBranch(int instruction) {
    return instruction == 0xd61f_0220; // br x17
  }

  private static boolean isPush(int instruction) {
    return instruction == 0xa9bf_7bf0; // stp x16, x30, [sp, #-16]!
  }

  private static boolean isPlt(int instruction) {
    return isPush(instruction)
        || (instruction & 0x9f00_001f) == 0x9000_0010 // adrp x16
        || (instruction & 0xffc0_03ff) == 0xf940_0211 // ldr x17, [x16, ...]
        || (instruction & 0xff80_03ff) == 0x9100_0210 // add x16, x16, ...
        || instruction == 0xd503_201f // nop, where ld drops an add of 0
        || instruction == 0xd503_245f // bti c
        || instruction == 0xd503_219f; // autia1716
  }
}
