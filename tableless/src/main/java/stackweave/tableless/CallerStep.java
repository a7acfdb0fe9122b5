package stackweave.tableless;

import stackweave.tableless.code.CallerRule;
import stackweave.unwind.Architecture;
import stackweave.unwind.Registers;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.walk.NativeFrame;

/**
 * Makes the caller the frame at hand by a {@link CallerRule}: evaluates its terms with the frame's
 * registers and the copied stack. Only a word of the stack above sp can be a return address, and it
 * must look like one. Allocates nothing; not thread-safe.
 */
final class CallerStep {
  private final long addressMask;
  private final int[] saved;
  private final long[] values;
  private final long[] slots;
  private final boolean[] known;

  /** For frames of code of that architecture. */
  CallerStep(Architecture architecture) {
    this.addressMask = architecture.addressMask();
    this.saved = architecture.calleeSaved();
    this.values = new long[saved.length];
    this.slots = new long[saved.length];
    this.known = new boolean[saved.length];
  }

  /**
   * Makes the caller the frame at hand.
   *
   * @return false if the rule doesn't lead to a caller; the frame is unchanged then
   * @throws UnreadableMemoryException if it leads to a word that was not copied
   */
  boolean toCaller(NativeFrame frame, CallerRule rule) throws UnreadableMemoryException {
    long pc = 0;
    long sp = 0;
    for (int i = 0; i < rule.exits().length; i++) {
      CallerRule.Exit exit = rule.exits()[i];
      if (!isKnown(frame, exit.returnAddress()) || !isKnown(frame, exit.sp())) {
        return false;
      }
      long exitPc = evaluate(frame, exit.returnAddress()) & addressMask;
      long exitSp = evaluate(frame, exit.sp());
      if (i > 0 && (exitPc != pc || exitSp != sp)) {
        return false;
      }
      pc = exitPc;
      sp = exitSp;
    }
    if (sp < frame.sp() || !frame.isOnStack(sp) || !frame.isExpectedCaller(pc)) {
      return false;
    }
    registers(frame, rule);
    Registers registers = frame.registers();
    registers.clear();
    for (int i = 0; i < saved.length; i++) {
      if (known[i]) {
        registers.set(saved[i], values[i], slots[i]);
      }
    }
    frame.popTo(pc, sp);
    frame.setFound(rule.found());
    return true;
  }

  private static boolean isKnown(NativeFrame frame, int[] term) {
    return frame.registers().isKnown(term[0]);
  }

  /** Evaluates a term, each load of which must be of the stack. */
  private static long evaluate(NativeFrame frame, int[] term) throws UnreadableMemoryException {
    frame.registers().rely(term[0], frame.stack());
    long value = frame.registers().get(term[0]) + term[1];
    for (int i = 2; i < term.length; i++) {
      if (!frame.isOnStack(value)) {
        return 0;
      }
      value = frame.read(value) + term[i];
    }
    return value;
  }

  /** The caller's registers: those that all exits give the same value. */
  private void registers(NativeFrame frame, CallerRule rule) {
    for (int r = 0; r < saved.length; r++) {
      known[r] = false;
      for (int i = 0; i < rule.exits().length; i++) {
        long before = values[r];
        known[r] =
            find(frame, r, rule.exits()[i].registers()[r]) && (i == 0 || values[r] == before);
        if (!known[r]) {
          break;
        }
      }
    }
  }

  /** Evaluates a register's term as {@link #evaluate}; does not rely on the last word it loads. */
  private boolean find(NativeFrame frame, int r, int[] term) {
    if (term == null || !isKnown(frame, term)) {
      return false;
    }
    try {
      slots[r] = frame.registers().slot(term[0]);
      values[r] = frame.registers().get(term[0]) + term[1];
      for (int i = 2; i < term.length; i++) {
        if (!frame.isOnStack(values[r])) {
          return false;
        }
        if (slots[r] != 0) {
          frame.read(slots[r]); // the next load is where this word says
        }
        slots[r] = values[r];
        values[r] = frame.stack().readSaved(values[r]) + term[i];
      }
      return true;
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }
}
