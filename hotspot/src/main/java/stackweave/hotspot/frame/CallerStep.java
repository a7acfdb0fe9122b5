package stackweave.hotspot.frame;

import stackweave.hotspot.cpu.CallerRule;
import stackweave.unwind.Architecture;
import stackweave.unwind.Registers;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Makes the caller the frame at hand by a {@link CallerRule}: evaluates its terms with the frame's
 * registers and the copied stack. Only a word of the stack above sp can be a return address, and it
 * must look like one. Allocates nothing; not thread-safe.
 */
public final class CallerStep {
  private final Callers callers;
  private final int[] saved;
  private final long[] values;
  private final long[] slots;
  private final boolean[] known;

  /** For frames of code of that architecture. */
  public CallerStep(Callers callers, Architecture architecture) {
    this.callers = callers;
    this.saved = architecture.calleeSaved();
    this.values = new long[saved.length];
    this.slots = new long[saved.length];
    this.known = new boolean[saved.length];
  }

  /**
   * Makes the caller the frame at hand.
   *
   * @return false if the rule doesn't lead to a caller; the walk is unchanged then
   * @throws UnreadableMemoryException if it leads to a word that was not copied
   */
  public boolean toCaller(Walk walk, CallerRule rule) throws UnreadableMemoryException {
    long pc = 0;
    long sp = 0;
    for (int i = 0; i < rule.exits().length; i++) {
      CallerRule.Exit exit = rule.exits()[i];
      if (!isKnown(walk, exit.returnAddress) || !isKnown(walk, exit.sp)) {
        return false;
      }
      long exitPc = walk.cpu().returnAddress(evaluate(walk, exit.returnAddress));
      long exitSp = evaluate(walk, exit.sp);
      if (i > 0 && (exitPc != pc || exitSp != sp)) {
        return false;
      }
      pc = exitPc;
      sp = exitSp;
    }
    if (sp < walk.sp() || !walk.isOnStack(sp) || !callers.isExpectedCaller(walk, pc)) {
      return false;
    }
    registers(walk, rule);
    Registers registers = walk.registers();
    registers.clear();
    for (int i = 0; i < saved.length; i++) {
      if (known[i]) {
        registers.set(saved[i], values[i], slots[i]);
      }
    }
    walk.popTo(pc, sp);
    walk.frames().setFoundOfNext(rule.found());
    return true;
  }

  private static boolean isKnown(Walk walk, int[] term) {
    return walk.registers().isKnown(term[0]);
  }

  /** Each load must be one of the stack. */
  private static long evaluate(Walk walk, int[] term) throws UnreadableMemoryException {
    walk.registers().rely(term[0], walk.stack());
    long value = walk.registers().get(term[0]) + term[1];
    for (int i = 2; i < term.length; i++) {
      if (!walk.isOnStack(value)) {
        return 0;
      }
      value = walk.read(value) + term[i];
    }
    return value;
  }

  /** The caller's registers: those that all exits give the same value. */
  private void registers(Walk walk, CallerRule rule) {
    for (int r = 0; r < saved.length; r++) {
      known[r] = false;
      for (int i = 0; i < rule.exits().length; i++) {
        long before = values[r];
        known[r] = find(walk, r, rule.exits()[i].registers[r]) && (i == 0 || values[r] == before);
        if (!known[r]) {
          break;
        }
      }
    }
  }

  /** Evaluates a register's term, as {@link #evaluate}; nothing follows from its last load yet. */
  private boolean find(Walk walk, int r, int[] term) {
    if (term == null || !isKnown(walk, term)) {
      return false;
    }
    try {
      slots[r] = walk.registers().slot(term[0]);
      values[r] = walk.registers().get(term[0]) + term[1];
      for (int i = 2; i < term.length; i++) {
        if (!walk.isOnStack(values[r])) {
          return false;
        }
        if (slots[r] != 0) {
          walk.read(slots[r]); // the next load is where this word says
        }
        slots[r] = values[r];
        values[r] = walk.readSaved(values[r]) + term[i];
      }
      return true;
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }
}
