package stackweave.hotspot.frame;

import stackweave.hotspot.cpu.CallerRule;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.ForwardAnalysis;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.hash.LongTable;

/**
 * Leaves an interrupted stub that has brought frames of a continuation back, for the innermost of
 * these: from the VM's return on, its instructions lead straight to that. Where they don't, as
 * before the VM is called, no frames are there yet. What else lies on the stack then, between sp
 * and the ContinuationEntry, was left there by earlier calls. Not thread-safe.
 */
final class ThawExit {
  /** Nothing leads straight to a caller. */
  private static final CallerRule NONE = new CallerRule(null);

  /** The stubs have some hundred instructions, which stay. */
  private static final int SLOTS = 1 << 8;

  private final MemoryReader memory;
  private final Cpu cpu;
  private final CallerStep callerStep;
  private final LongTable<CallerRule> rules = new LongTable<>(SLOTS);
  private ForwardAnalysis analysis;

  ThawExit(MemoryReader memory, Callers callers, Cpu cpu) {
    this.memory = memory;
    this.cpu = cpu;
    callerStep = new CallerStep(callers, cpu.architecture());
  }

  /**
   * Makes the innermost of the frames brought back the frame at hand; false if there is none.
   *
   * @throws UnreadableMemoryException if it was not copied
   */
  boolean toCaller(Walk walk) throws UnreadableMemoryException {
    CallerRule rule = rules.get(walk.pc());
    if (rule == null) {
      rule = find(walk.pc());
      rules.put(walk.pc(), rule);
    }
    return rule != NONE && callerStep.toCaller(walk, rule);
  }

  private CallerRule find(long pc) {
    if (analysis == null) {
      analysis = cpu.forwardAnalysis(); // most applications have no virtual threads
    }
    CallerRule rule = analysis == null ? null : analysis.straight(pc, memory, target -> false);
    return rule == null ? NONE : rule;
  }
}
