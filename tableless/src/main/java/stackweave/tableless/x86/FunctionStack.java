package stackweave.tableless.x86;

import java.util.Arrays;
import stackweave.tableless.code.StackDepth;

/**
 * Computes stack depths of x86-64 functions by following their code from the start along all
 * branches. Where two ways to an instruction disagree, or rsp is changed by anything but a
 * constant, the depth is not known from there on. Reused; not thread-safe.
 */
final class FunctionStack implements StackDepth {
  private static final int DISPUTED = -2;

  /**
   * DWARF numbers of the registers that functions hand back (rbx, rbp, r12 to r15), by number in
   * the instruction set.
   */
  private static final int[] CALLEE_SAVED = {
    -1, -1, -1, 3, -1, 6, -1, -1, -1, -1, -1, -1, 12, 13, 14, 15
  };

  private final Instruction instruction = new Instruction();
  private int[] depths = {};
  private int[] work = {};
  private final int[] slots = new int[CALLEE_SAVED.length];
  private int pending;

  @Override
  public State at(byte[] code, int length, int pc) {
    if (pc < 0 || pc >= length) {
      return null;
    }
    if (depths.length < length) {
      depths = new int[length];
      work = new int[2 * length];
    }
    Arrays.fill(depths, 0, length, UNKNOWN);
    Arrays.fill(slots, 0);
    pending = 0;
    visit(0, 0, length);
    boolean entering = true;
    while (pending > 0) {
      int at = work[--pending];
      instruction.decode(code, at);
      entering = noteSaved(entering, depths[at]);
      int depth = depths[at] == DISPUTED ? DISPUTED : depths[at] + instruction.pushed;
      if (depth == DISPUTED || depth >= 0) {
        follow(at, depth, length);
      }
    }
    return depths[pc] >= 0 ? new State(depths[pc], slots.clone()) : null;
  }

  private void follow(int at, int depth, int length) {
    if (instruction.flow == Instruction.Flow.NEXT || instruction.flow == Instruction.Flow.BRANCH) {
      visit(at + instruction.length, depth, length);
    }
    if (instruction.target != Instruction.NONE) {
      visit(instruction.target, depth, length);
    }
  }

  /** Whether the instruction after the one decoded still belongs to what saves registers. */
  private boolean noteSaved(boolean entering, int depth) {
    int pushedRegister = calleeSaved(instruction.savedByPush);
    if (entering && instruction.savedByPush != Instruction.NONE) {
      if (pushedRegister >= 0) {
        slots[pushedRegister] = depth + instruction.pushed;
      }
      return true;
    }
    lose(pushedRegister);
    lose(calleeSaved(instruction.savedByStore));
    return entering && instruction.isLandingPad();
  }

  /** Kept elsewhere, or only moved: its value here is not known. */
  private void lose(int register) {
    if (register >= 0 && slots[register] == 0) {
      slots[register] = UNKNOWN;
    }
  }

  private static int calleeSaved(int register) {
    return register == Instruction.NONE ? -1 : CALLEE_SAVED[register];
  }

  /** Where two ways disagree, no depth is known from there on. */
  private void visit(int at, int depth, int length) {
    if (at < 0 || at >= length || depths[at] == depth || depths[at] == DISPUTED) {
      return;
    }
    depths[at] = depths[at] == UNKNOWN ? depth : DISPUTED;
    work[pending++] = at;
  }
}
