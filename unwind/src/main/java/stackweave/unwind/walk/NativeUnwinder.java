package stackweave.unwind.walk;

import java.util.function.LongPredicate;
import stackweave.unwind.Architecture;
import stackweave.unwind.Location;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.Registers;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.expression.ExpressionEvaluator;
import stackweave.unwind.rule.PcRuleCache;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;

/**
 * Steps from a native frame to its caller by the rule of the module that holds the pc. A return
 * address is looked up at the byte before it, which belongs to the call instruction; the pc of an
 * interrupted frame as it is. What a rule says nothing about is lost, except callee-saved
 * registers: those a function hands back as it found them. No allocation per step. Not thread-safe.
 */
public final class NativeUnwinder {
  private static final int NO_MODULE = -2;

  private final RuleTable rules;
  private final Architecture architecture;
  private final int[] tracked;
  private final PcRuleCache cache = new PcRuleCache();
  private final KnownCode code;
  private final KernelSignalFrame kernelFrame;
  private final ExpressionEvaluator evaluator;
  private final long[] values;
  private final long[] slots;
  private int knownMask;
  private boolean callerInterrupted;

  /** Null if every address is accepted as a caller. */
  private LongPredicate callers;

  /** An unwinder for the architecture of these rules. */
  public NativeUnwinder(RuleTable rules) {
    this.rules = rules;
    this.architecture = rules.architecture();
    this.tracked = architecture.calleeSaved();
    this.code = new KnownCode(rules);
    this.kernelFrame = new KernelSignalFrame(architecture);
    this.evaluator = new ExpressionEvaluator(rules.expressions(), architecture.byteOrder());
    this.values = new long[tracked.length];
    this.slots = new long[tracked.length];
  }

  /** The table whose rules this executes: the one to open a module's {@link UnwindTable} with. */
  public RuleTable rules() {
    return rules;
  }

  /**
   * From now on a step fails with {@link StopReason#NO_RULE} where unwind information leads to a
   * caller that can't be one: it is wrong there, and so counts as missing. Not asked of callers
   * that a signal has interrupted.
   *
   * @param callers whether a call can return to an address
   */
  public void checkCallers(LongPredicate callers) {
    this.callers = callers;
  }

  /**
   * Visits the frames of a stack whose innermost one was interrupted. For stacks of native frames
   * alone; a walk over other frames, too, uses {@link #step}.
   *
   * @param registers of the innermost frame; afterwards of the last one visited, or, where it has a
   *     caller that was not visited, of that
   * @param maxFrames how many frames to visit at most, from 1
   * @return why the stack ends with the last frame visited; {@link StopReason#TOO_DEEP} where it
   *     goes on
   */
  public StopReason walk(
      Registers registers,
      MemoryReader memory,
      CodeModules modules,
      int maxFrames,
      FrameVisitor visitor) {
    boolean interrupted = true;
    for (int frames = 0; frames < maxFrames; frames++) {
      visitor.visit(registers, interrupted);
      StopReason stop = step(registers, interrupted, memory, modules);
      if (stop != null) {
        return stop;
      }
      interrupted = callerInterrupted;
    }
    return StopReason.TOO_DEEP;
  }

  /**
   * Makes the registers those of the caller. A step by an SFrame row loses the callee-saved
   * registers but the frame pointer: the row does not say whether the function changed them.
   *
   * <p>The caller's sp must lie above the callee's; it may be equal only in an interrupted frame,
   * whose return address may still be in a register. A signal frame may lead anywhere: handlers run
   * on stacks of their own.
   *
   * @param registers of a frame whose pc is native code; unchanged when the step fails
   * @param interrupted whether the frame was interrupted at its pc (the innermost frame, or the
   *     caller of a signal frame), rather than waiting for a call to return
   * @return null when {@code registers} now hold the caller, else why there is none
   */
  public StopReason step(
      Registers registers, boolean interrupted, MemoryReader memory, CodeModules modules) {
    callerInterrupted = false;
    int rule = ruleAt(registers.pc(), interrupted, memory, modules);
    if (rule < 0) {
      return rule == NO_MODULE ? StopReason.NO_MODULE : StopReason.NO_RULE;
    }
    try {
      return switch (rules.kind(rule)) {
        case RuleTable.FRAME -> frame(rule, registers, interrupted, memory);
        case RuleTable.SIGNAL_FRAME -> signalFrame(registers, memory);
        case RuleTable.OUTERMOST -> StopReason.COMPLETE;
        default -> StopReason.UNSUPPORTED_RULE;
      };
    } catch (UnreadableMemoryException e) {
      return e.reason();
    }
  }

  /**
   * Makes the registers those that a signal has interrupted.
   *
   * @param registers with the stack pointer that the handler has returned with
   * @return null, else why that is not possible; the registers are unchanged then
   * @throws UnreadableMemoryException if they can't be read
   */
  public StopReason leaveSignalFrame(Registers registers, MemoryReader memory)
      throws UnreadableMemoryException {
    return signalFrame(registers, memory);
  }

  /**
   * Whether the step just made went through a signal frame: the caller was interrupted, its pc is
   * exact.
   */
  public boolean callerInterrupted() {
    return callerInterrupted;
  }

  /**
   * Whether a signal handler returns there, by the code itself: the kernel has put that address on
   * the stack, and no call is before it.
   *
   * @param pc a return address
   */
  public boolean isSignalReturn(long pc, MemoryReader memory) {
    return code.ruleFor(UnwindTable.NO_RULE, pc, false, memory.code())
        == RuleTable.SIGNAL_FRAME_RULE;
  }

  /**
   * Whether the function that waits for a call to return there is a thread's first.
   *
   * @param pc a return address
   */
  public boolean isFirst(long pc, MemoryReader memory, CodeModules modules) {
    return ruleAt(pc, false, memory, modules) == RuleTable.OUTERMOST_RULE;
  }

  /**
   * As {@link #isSignalReturn}, or by the unwind information at the address.
   *
   * @param pc a return address
   */
  public boolean isSignalFrame(long pc, MemoryReader memory, CodeModules modules) {
    int rule = ruleAt(pc, false, memory, modules);
    return rule == RuleTable.SIGNAL_FRAME_RULE
        || rule >= 0
            && rules.kind(rule) == RuleTable.FRAME
            && (rules.flags(rule) & RuleTable.FLAG_SIGNAL) != 0;
  }

  private int ruleAt(long pc, boolean interrupted, MemoryReader memory, CodeModules modules) {
    long address = interrupted ? pc : pc - 1;
    int generation = modules.generation();
    int rule = cache.find(address, generation);
    if (rule == PcRuleCache.MISS) {
      CodeModule module = modules.find(address);
      UnwindTable table = module == null ? null : module.unwindTable();
      rule = table == null ? NO_MODULE : table.find(address - module.bias());
      if (isInDoubt(rule, address - (module == null ? 0 : module.bias()), interrupted, table)) {
        rule = code.ruleFor(rule, pc, interrupted, memory.code());
      }
      cache.put(address, generation, rule);
    }
    return rule;
  }

  /**
   * Whether to look at the code itself: there is no rule; or the frame waits for a call to return,
   * but by the rule has never saved its return address; or it is a signal frame, and may be the
   * kernel's, whose ucontext says more than rows; or the table does not mark signal frames.
   */
  private boolean isInDoubt(int rule, long address, boolean interrupted, UnwindTable table) {
    if (rule < 0) {
      return true;
    }
    if (rules.kind(rule) != RuleTable.FRAME) {
      return rules.kind(rule) == RuleTable.UNSUPPORTED;
    }
    return (rules.flags(rule) & RuleTable.FLAG_SIGNAL) != 0
        || (!interrupted && Location.kind(rules.ra(rule)) == Location.SAME)
        || !table.marksSignalFrames(address);
  }

  private StopReason signalFrame(Registers registers, MemoryReader memory)
      throws UnreadableMemoryException {
    if (!registers.isKnown(architecture.sp())) {
      return StopReason.UNKNOWN_REGISTER;
    }
    kernelFrame.restore(registers, memory);
    callerInterrupted = true;
    return null;
  }

  private StopReason frame(int rule, Registers registers, boolean interrupted, MemoryReader memory)
      throws UnreadableMemoryException {
    long cfaRule = rules.cfa(rule);
    long cfa;
    if (Location.kind(cfaRule) == Location.EXPRESSION) {
      relyOnAll(registers, memory);
      if (!evaluator.evaluate(Location.offset(cfaRule), 0, registers, memory)) {
        return StopReason.UNKNOWN_REGISTER;
      }
      cfa = evaluator.result();
    } else {
      int base = Location.register(cfaRule);
      if (!registers.isKnown(base)) {
        return StopReason.UNKNOWN_REGISTER;
      }
      registers.rely(base, memory);
      cfa = registers.get(base) + Location.offset(cfaRule);
      if (Location.kind(cfaRule) == Location.AT_REGISTER) {
        cfa = memory.readLong(cfa) + rules.cfaAdd(rule);
      }
    }
    long sp = cfa - architecture.spBelowCfa();
    boolean signal = (rules.flags(rule) & RuleTable.FLAG_SIGNAL) != 0;
    int advance = Long.compareUnsigned(sp, registers.sp());
    if (!signal && (advance < 0 || (advance == 0 && !interrupted))) {
      return StopReason.NOT_ADVANCING;
    }

    long pc;
    long raRule = rules.ra(rule);
    if (Location.kind(raRule) == Location.SAME) {
      // Still in the link register: so it was at the interrupt; a call since then overwrote it.
      if (!interrupted || !registers.isKnown(architecture.ra())) {
        return StopReason.UNKNOWN_REGISTER;
      }
      pc = registers.get(architecture.ra());
    } else {
      if (!isAvailable(raRule, cfa, registers, memory)) {
        return StopReason.UNKNOWN_REGISTER;
      }
      pc = read(raRule, cfa, registers, memory);
    }
    if ((rules.flags(rule) & RuleTable.FLAG_MANGLED) != 0) {
      pc &= architecture.addressMask();
    }
    if (pc == 0) {
      return StopReason.NULL_RETURN_ADDRESS;
    }
    if (!signal && callers != null && !callers.test(pc)) {
      return StopReason.NO_RULE;
    }

    calleeSaved(rule, cfa, registers, interrupted, memory);
    registers.clear();
    for (int i = 0; i < tracked.length; i++) {
      if ((knownMask & 1 << i) != 0) {
        registers.set(tracked[i], values[i], slots[i]);
      }
    }
    registers.set(architecture.sp(), sp);
    registers.setPc(pc);
    callerInterrupted = signal;
    return null;
  }

  /** Finds the caller's callee-saved registers; {@link #knownMask} says which have a value. */
  private void calleeSaved(
      int rule, long cfa, Registers registers, boolean interrupted, MemoryReader memory)
      throws UnreadableMemoryException {
    int changed = rules.changedMask(rule);
    int known = 0;
    for (int i = 0; i < tracked.length; i++) {
      if ((changed & 1 << i) == 0) {
        if (registers.isKnown(tracked[i])) {
          values[i] = registers.get(tracked[i]);
          slots[i] = registers.slot(tracked[i]);
          known |= 1 << i;
        }
      } else {
        long location = rules.register(rule, i);
        if (isBelowStack(location, cfa, registers)) {
          long slot = cfa + Location.offset(location);
          if (belowStack(i, slot, registers, interrupted, memory, isCfaFrom(rule, tracked[i]))) {
            known |= 1 << i;
          }
        } else if (isSaved(i, location, cfa, registers, memory)) {
          known |= 1 << i;
        }
      }
    }
    knownMask = known;
  }

  private static boolean isBelowStack(long location, long cfa, Registers registers) {
    return Location.kind(location) == Location.AT_CFA
        && Long.compareUnsigned(cfa + Location.offset(location), registers.sp()) < 0;
  }

  /**
   * Finds a register whose slot lies below sp. In the red zone of an interrupted function the slot
   * still holds the value: a leaf function keeps it there. Elsewhere, and where that memory was not
   * recorded, it can be anything; but then an epilogue has popped the slot, which compilers do not
   * say in the CFI, and the register holds its value again.
   *
   * @param inUse whether the CFA is computed from the register, which then can't hold it again
   * @return whether there is a value
   */
  private boolean belowStack(
      int i,
      long slot,
      Registers registers,
      boolean interrupted,
      MemoryReader memory,
      boolean inUse) {
    if (interrupted && registers.sp() - slot <= architecture.redZone()) {
      try {
        values[i] = memory.readLong(slot);
        slots[i] = 0;
        return true;
      } catch (UnreadableMemoryException e) {
        // The value in the register is used.
      }
    }
    if (inUse || !registers.isKnown(tracked[i])) {
      return false;
    }
    values[i] = registers.get(tracked[i]);
    slots[i] = registers.slot(tracked[i]);
    return true;
  }

  private boolean isCfaFrom(int rule, int register) {
    long cfa = rules.cfa(rule);
    return Location.kind(cfa) == Location.REGISTER_PLUS && Location.register(cfa) == register;
  }

  /**
   * Reads a saved register if it can be read. In an epilogue that compilers do not describe, an
   * expression may compute its slot from a register that has its caller's value again.
   */
  private boolean isSaved(int i, long location, long cfa, Registers registers, MemoryReader memory)
      throws UnreadableMemoryException {
    try {
      boolean available = isAvailable(location, cfa, registers, memory);
      if (available) {
        readSaved(i, location, cfa, registers, memory);
      }
      return available;
    } catch (UnreadableMemoryException e) {
      if (e.reason() != StopReason.UNREADABLE_MEMORY) {
        throw e; // it may be read from the older part of the stack
      }
      return false;
    }
  }

  /** Reads a saved register; a word at the CFA is not relied on until the value is used. */
  private void readSaved(int i, long location, long cfa, Registers registers, MemoryReader memory)
      throws UnreadableMemoryException {
    if (Location.kind(location) == Location.AT_CFA) {
      slots[i] = cfa + Location.offset(location);
      values[i] = memory.readSaved(slots[i]);
    } else {
      slots[i] = 0;
      values[i] = read(location, cfa, registers, memory);
    }
  }

  /** An expression may use any register. */
  private void relyOnAll(Registers registers, MemoryReader memory)
      throws UnreadableMemoryException {
    for (int register : tracked) {
      if (registers.isKnown(register)) {
        registers.rely(register, memory);
      }
    }
  }

  /** Whether {@link #read} finds something there; evaluates an expression. */
  private boolean isAvailable(long location, long cfa, Registers registers, MemoryReader memory)
      throws UnreadableMemoryException {
    return switch (Location.kind(location)) {
      case Location.AT_CFA, Location.CFA_PLUS -> true;
      case Location.REGISTER_PLUS, Location.AT_REGISTER -> {
        int base = Location.register(location);
        if (!registers.isKnown(base)) {
          yield false;
        }
        registers.rely(base, memory);
        yield true;
      }
      case Location.EXPRESSION, Location.AT_EXPRESSION -> {
        relyOnAll(registers, memory);
        yield evaluator.evaluate(Location.offset(location), cfa, registers, memory);
      }
      default -> false;
    };
  }

  private long read(long location, long cfa, Registers registers, MemoryReader memory)
      throws UnreadableMemoryException {
    int offset = Location.offset(location);
    return switch (Location.kind(location)) {
      case Location.AT_CFA -> memory.readLong(cfa + offset);
      case Location.CFA_PLUS -> cfa + offset;
      case Location.REGISTER_PLUS -> registers.get(Location.register(location)) + offset;
      case Location.EXPRESSION -> evaluator.result();
      case Location.AT_EXPRESSION -> memory.readLong(evaluator.result());
      default -> memory.readLong(registers.get(Location.register(location)) + offset);
    };
  }
}
