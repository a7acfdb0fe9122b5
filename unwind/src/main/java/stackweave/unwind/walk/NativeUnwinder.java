package stackweave.unwind.walk;

import stackweave.unwind.Architecture;
import stackweave.unwind.Location;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.Registers;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.rule.PcRuleCache;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindSource;
import stackweave.unwind.rule.UnwindTable;

/**
 * Steps from a native frame to its caller by the rule of the module that holds the pc.
 *
 * <p>A return address is looked up at the byte before it, which belongs to the call instruction;
 * the pc of an interrupted frame is looked up as it is. What a rule says nothing about is lost,
 * except callee-saved registers: those a function hands back as it found them. SFrame rows say
 * nothing about callee-saved registers but the frame pointer and do not promise that the function
 * left them alone, so a step by an SFrame row loses them.
 *
 * <p>Law: the caller's sp lies above the callee's; it may be equal only in an interrupted frame,
 * whose return address may still be in a register. A signal frame may lead anywhere: handlers run
 * on stacks of their own.
 *
 * <p>No allocation per step. Not thread-safe.
 */
public final class NativeUnwinder {
  /** The s390x ABI: sp at the call is 160 below the CFA. */
  private static final int S390X_SP_BELOW_CFA = 160;

  /** User addresses of AArch64 Linux have 48 bits (52 only where a program asks for it). */
  private static final long AARCH64_ADDRESS_MASK = (1L << 48) - 1;

  private static final int NO_MODULE = -2;

  private final RuleTable rules;
  private final Architecture architecture;
  private final int[] tracked;
  private final PcRuleCache cache = new PcRuleCache();
  private final CodePatterns code;
  private final long[] values;
  private int knownMask;
  private boolean callerInterrupted;

  public NativeUnwinder(RuleTable rules) {
    this.rules = rules;
    this.architecture = rules.architecture();
    this.tracked = architecture.calleeSaved();
    this.code = new CodePatterns(rules);
    this.values = new long[architecture.registerCount()];
  }

  /** The table whose rules this executes: the one to open a module's {@link UnwindTable} with. */
  public RuleTable rules() {
    return rules;
  }

  /**
   * Makes the registers those of the caller.
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
   * Whether the step just made went through a signal frame: the caller was interrupted, its pc is
   * exact.
   */
  public boolean callerInterrupted() {
    return callerInterrupted;
  }

  /** Steps whose rule was remembered from the same pc. */
  public long cacheHits() {
    return cache.hits();
  }

  /** Steps whose rule had to be looked up in a module. */
  public long cacheMisses() {
    return cache.misses();
  }

  private int ruleAt(long pc, boolean interrupted, MemoryReader memory, CodeModules modules) {
    long address = interrupted ? pc : pc - 1;
    int generation = modules.generation();
    int rule = cache.find(address, generation);
    if (rule == PcRuleCache.MISS) {
      CodeModule module = modules.find(address);
      UnwindTable table = module == null ? null : module.unwindTable();
      rule = table == null ? NO_MODULE : table.find(address - module.bias());
      if (isInDoubt(rule, interrupted, table)) {
        rule = code.ruleFor(rule, pc, interrupted, memory.code());
      }
      cache.put(address, generation, rule);
    }
    return rule;
  }

  /**
   * Whether to look at the code itself: nothing is known of it; or it waits for a call to return
   * though its return address was never saved; or its rule may be that of a signal trampoline,
   * which SFrame can mark as such since version 3 only.
   */
  private boolean isInDoubt(int rule, boolean interrupted, UnwindTable table) {
    if (rule < 0) {
      return true;
    }
    if (rules.kind(rule) != RuleTable.FRAME) {
      return false;
    }
    return (!interrupted && Location.kind(rules.ra(rule)) == Location.SAME)
        || table.source() == UnwindSource.SFRAME_V2
        || table.source() == UnwindSource.SFRAME_V1;
  }

  private StopReason signalFrame(Registers registers, MemoryReader memory)
      throws UnreadableMemoryException {
    if (!registers.isKnown(architecture.sp())) {
      return StopReason.UNKNOWN_REGISTER;
    }
    SignalFrame.restore(registers, values, memory);
    callerInterrupted = true;
    return null;
  }

  private StopReason frame(int rule, Registers registers, boolean interrupted, MemoryReader memory)
      throws UnreadableMemoryException {
    long cfaRule = rules.cfa(rule);
    int base = Location.register(cfaRule);
    if (!registers.isKnown(base)) {
      return StopReason.UNKNOWN_REGISTER;
    }
    long cfa = registers.get(base) + Location.offset(cfaRule);
    if (Location.kind(cfaRule) == Location.AT_REGISTER) {
      cfa = memory.readLong(cfa) + rules.cfaAdd(rule);
    }
    long sp = architecture == Architecture.S390X ? cfa - S390X_SP_BELOW_CFA : cfa;
    int advance = Long.compareUnsigned(sp, registers.sp());
    if (advance < 0 || (advance == 0 && !interrupted)) {
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
      if (!isAvailable(raRule, registers)) {
        return StopReason.UNKNOWN_REGISTER;
      }
      pc = read(raRule, cfa, registers, memory);
    }
    if ((rules.flags(rule) & RuleTable.FLAG_MANGLED) != 0) {
      pc &= AARCH64_ADDRESS_MASK;
    }
    if (pc == 0) {
      return StopReason.NULL_RETURN_ADDRESS;
    }

    calleeSaved(rule, cfa, registers, memory);
    registers.clear();
    for (int i = 0; i < tracked.length; i++) {
      if ((knownMask & 1 << i) != 0) {
        registers.set(tracked[i], values[i]);
      }
    }
    registers.set(architecture.sp(), sp);
    registers.setPc(pc);
    callerInterrupted = (rules.flags(rule) & RuleTable.FLAG_SIGNAL) != 0;
    return null;
  }

  /** Finds the caller's callee-saved registers; {@link #knownMask} says which have a value. */
  private void calleeSaved(int rule, long cfa, Registers registers, MemoryReader memory)
      throws UnreadableMemoryException {
    int changed = rules.changedMask(rule);
    int known = 0;
    for (int i = 0; i < tracked.length; i++) {
      if ((changed & 1 << i) == 0) {
        if (registers.isKnown(tracked[i])) {
          values[i] = registers.get(tracked[i]);
          known |= 1 << i;
        }
      } else {
        long location = rules.register(rule, i);
        if (isPopped(location, cfa, registers)) {
          if (registers.isKnown(tracked[i])) {
            values[i] = registers.get(tracked[i]);
            known |= 1 << i;
          }
        } else if (isAvailable(location, registers)) {
          values[i] = read(location, cfa, registers, memory);
          known |= 1 << i;
        }
      }
    }
    knownMask = known;
  }

  /**
   * Whether a register's slot lies below sp: an epilogue has popped it, so the register holds its
   * value again, while the slot may hold anything. Compilers do not say so in the CFI.
   */
  private boolean isPopped(long location, long cfa, Registers registers) {
    return Location.kind(location) == Location.AT_CFA
        && Long.compareUnsigned(cfa + Location.offset(location), registers.sp()) < 0;
  }

  private static boolean isAvailable(long location, Registers registers) {
    return switch (Location.kind(location)) {
      case Location.AT_CFA, Location.CFA_PLUS -> true;
      case Location.REGISTER_PLUS, Location.AT_REGISTER ->
          registers.isKnown(Location.register(location));
      default -> false;
    };
  }

  private static long read(long location, long cfa, Registers registers, MemoryReader memory)
      throws UnreadableMemoryException {
    int offset = Location.offset(location);
    return switch (Location.kind(location)) {
      case Location.AT_CFA -> memory.readLong(cfa + offset);
      case Location.CFA_PLUS -> cfa + offset;
      case Location.REGISTER_PLUS -> registers.get(Location.register(location)) + offset;
      default -> memory.readLong(registers.get(Location.register(location)) + offset);
    };
  }
}
