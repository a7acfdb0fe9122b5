package stackweave.unwind.walk;

import java.util.Arrays;
import stackweave.unwind.Architecture;
import stackweave.unwind.Location;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.aarch64.CodePatterns;
import stackweave.unwind.rule.RuleBuilder;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;

/**
 * Recognises code by its instructions where unwind information is missing or in doubt: the
 * sigreturn trampoline, which the kernel ABI fixes, the first code of musl's threads, and AArch64
 * PLT entries. Not thread-safe.
 */
final class KnownCode {
  /** How far the patterns look on either side of a pc, in bytes. */
  private static final int REACH = 32;

  private static final int PIECE = 8;

  private final Architecture architecture;
  private final int leafRule;
  private final int pushedRule;

  /** The code around a pc; zeros, which are no code that is known, where it can't be read. */
  private final byte[] code = new byte[REACH + PIECE + REACH];

  KnownCode(RuleTable rules) {
    architecture = rules.architecture();
    if (architecture == Architecture.AARCH64) {
      RuleBuilder rule = new RuleBuilder(architecture);
      rule.setCfa(architecture.sp(), 0);
      leafRule = rules.intern(rule);
      rule.setCfa(architecture.sp(), 16);
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
    read(pc, memory);
    int at = REACH + (int) (pc & (PIECE - 1));
    boolean sigreturn =
        switch (architecture) {
          case X86_64 -> stackweave.unwind.x86_64.CodePatterns.isSigreturn(code, at, interrupted);
          case AARCH64 -> CodePatterns.isSigreturn(code, at, interrupted);
          case S390X -> stackweave.unwind.s390x.CodePatterns.isSigreturn(code, at);
        };
    if (sigreturn) {
      return RuleTable.SIGNAL_FRAME_RULE;
    }
    if (rule < 0 && !interrupted && isFirst(at)) {
      return RuleTable.OUTERMOST_RULE;
    }
    if (interrupted && architecture == Architecture.AARCH64) {
      int pushed = CodePatterns.pushedByPlt(code, at);
      if (pushed != CodePatterns.NO_PLT) {
        return pushed == 0 ? leafRule : pushedRule;
      }
    }
    return rule;
  }

  private boolean isFirst(int at) {
    return switch (architecture) {
      case X86_64 -> stackweave.unwind.x86_64.CodePatterns.isFirst(code, at);
      case AARCH64 -> CodePatterns.isFirst(code, at);
      case S390X -> false;
    };
  }

  /** Reads the code at once, or in pieces where a part of it is not mapped. */
  private void read(long pc, MemoryReader memory) {
    long from = (pc & -PIECE) - REACH;
    try {
      memory.read(from, code, 0, code.length);
    } catch (UnreadableMemoryException e) {
      for (int at = 0; at < code.length; at += PIECE) {
        readPiece(from + at, at, memory);
      }
    }
  }

  private void readPiece(long address, int at, MemoryReader memory) {
    try {
      memory.read(address, code, at, PIECE);
    } catch (UnreadableMemoryException e) {
      Arrays.fill(code, at, at + PIECE, (byte) 0);
    }
  }
}
