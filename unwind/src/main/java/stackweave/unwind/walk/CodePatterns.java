package stackweave.unwind.walk;

import stackweave.unwind.Architecture;
import stackweave.unwind.Location;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.rule.RuleBuilder;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;

/**
 * Code that is known by its instructions, for where unwind information is missing: the sigreturn
 * trampoline, which the kernel ABI fixes, and AArch64 PLT entries, for which no linker writes any.
 */
final class CodePatterns {
  // AArch64: mov x8, #139; svc #0.
  private static final long AARCH64_SIGRETURN = 0xd400_0001_d280_1168L;

  // x86-64: mov rax, 15; syscall, in the two encodings that C libraries use.
  private static final long X86_64_SIGRETURN_LONG = 0x0f00_0000_0fc0_c748L;
  private static final long X86_64_SIGRETURN_SHORT = 0x0005_0f00_0000_0fb8L;
  private static final int X86_64_LONG_MOVE = 7;
  private static final int X86_64_SHORT_MOVE = 5;
  private static final long LOW_7_BYTES = 0x00ff_ffff_ffff_ffffL;

  // s390x: svc 173.
  private static final long S390X_SIGRETURN = 0x0aad;

  /** An AArch64 PLT entry has at most 6 instructions, the first of all 8. */
  private static final int MAX_PLT = 8;

  private final RuleTable rules;
  private final int leafRule;
  private final int pushedRule;

  CodePatterns(RuleTable rules) {
    this.rules = rules;
    RuleBuilder rule = new RuleBuilder(rules.architecture());
    if (rules.architecture() == Architecture.AARCH64) {
      rule.setCfa(Architecture.AARCH64.sp(), 0);
      leafRule = rules.intern(rule);
      rule.setCfa(Architecture.AARCH64.sp(), 16);
      rule.ra = Location.atCfa(-8);
      pushedRule = rules.intern(rule);
    } else {
      leafRule = UnwindTable.NO_RULE;
      pushedRule = UnwindTable.NO_RULE;
    }
  }

  /**
   * The rule that the code at a pc has by its instructions, else {@code rule}.
   *
   * @param interrupted whether the instruction at pc was interrupted; otherwise it is where a
   *     handler returns to
   */
  int ruleFor(int rule, long pc, boolean interrupted, MemoryReader memory) {
    try {
      if (isSigreturn(pc, interrupted, memory)) {
        return RuleTable.SIGNAL_FRAME_RULE;
      }
      if (interrupted && rules.architecture() == Architecture.AARCH64) {
        return aarch64Plt(rule, pc, memory);
      }
    } catch (UnreadableMemoryException e) {
      // Code that can't be read is no pattern.
    }
    return rule;
  }

  /**
   * Whether pc is in a trampoline: at its first instruction or, interrupted, at its system call.
   */
  private boolean isSigreturn(long pc, boolean interrupted, MemoryReader memory)
      throws UnreadableMemoryException {
    return switch (rules.architecture()) {
      case X86_64 ->
          isLong(memory.readLong(pc))
              || isShort(memory.readLong(pc))
              || (interrupted
                  && (isLong(memory.readLong(pc - X86_64_LONG_MOVE))
                      || isShort(memory.readLong(pc - X86_64_SHORT_MOVE))));
      case AARCH64 ->
          memory.readLong(pc) == AARCH64_SIGRETURN
              || (interrupted && memory.readLong(pc - 4) == AARCH64_SIGRETURN);
      case S390X -> memory.readLong(pc) >>> 48 == S390X_SIGRETURN;
    };
  }

  private static boolean isLong(long code) {
    return code == X86_64_SIGRETURN_LONG;
  }

  private static boolean isShort(long code) {
    return (code & LOW_7_BYTES) == X86_64_SIGRETURN_SHORT;
  }

  /**
   * In an entry nothing is pushed: RA in the link register, CFA = sp. The first entry pushes x16
   * and x30: behind that, CFA = sp + 16 and RA at CFA - 8.
   */
  private int aarch64Plt(int rule, long pc, MemoryReader memory) throws UnreadableMemoryException {
    // All of the way to "br x17" is PLT code.
    int at = 0;
    while (at < MAX_PLT && !isBranch(instruction(pc + 4 * at, memory))) {
      if (!isPlt(instruction(pc + 4 * at, memory))) {
        return rule;
      }
      at++;
    }
    if (at == MAX_PLT) {
      return rule;
    }
    for (int back = 1; back < MAX_PLT; back++) {
      int before = instruction(pc - 4 * back, memory);
      if (isPush(before)) {
        return pushedRule;
      }
      if (!isPlt(before)) {
        break;
      }
    }
    return leafRule;
  }

  private static int instruction(long address, MemoryReader memory)
      throws UnreadableMemoryException {
    return (int) (memory.readLong(address & ~7L) >>> 8 * (address & 4));
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
