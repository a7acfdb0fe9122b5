package stackweave.hotspot;

import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.StackDepth;
import stackweave.hotspot.frame.Walk;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.hash.LongTable;
import stackweave.unwind.walk.CodeModule;
import stackweave.unwind.walk.NativeUnwinder;

/**
 * Finds the caller of native code that was interrupted at a pc without unwind information:
 * hand-written assembly, code around system calls, a thread's first instructions. Called by {@link
 * MixedUnwinder} for the innermost frame only, when the native unwinder found no rule. Not
 * thread-safe.
 */
final class NativeLeaf {
  /** Longest way from the clone3 call to the first instruction that has unwind information. */
  private static final int CLONE_WINDOW = 32;

  private static final int STATES = 1 << 12;

  private final NativeUnwinder natives;
  private final FrameStepper hotspot;
  private final byte[] code = new byte[CLONE_WINDOW];
  private final StackDepth stackDepth;
  private final byte[] functionCode = new byte[StackDepth.MAX_CODE_BYTES];
  private final LongTable<StackDepth.State> states = new LongTable<>(STATES);
  private int generation;

  NativeLeaf(NativeUnwinder natives, FrameStepper hotspot, Cpu cpu) {
    this.stackDepth = cpu == null ? null : cpu.stackDepth();
    this.natives = natives;
    this.hotspot = hotspot;
  }

  /**
   * Makes the caller the frame at hand.
   *
   * @return null, or why there is no caller: {@link StopReason#NO_RULE} if there is no telling
   */
  StopReason toCaller(Walk walk) {
    if (walk.cpu() == null) {
      return StopReason.NO_RULE;
    }
    boolean read = readCode(walk);
    if (read && walk.cpu().code().isSystemCallBefore(code, CLONE_WINDOW) && leaveSystemCall(walk)) {
      return null;
    }
    if (read
        && walk.cpu().code().isCloneWithin(code, CLONE_WINDOW)
        && walk.valueOf(walk.cpu().systemCallResult()) == 0) {
      // The new thread, before its first frame; its creator sees its id.
      return StopReason.THREAD_ENTRY;
    }
    long start = functionStart(walk);
    boolean computed = start != 0 && stackDepth != null;
    boolean left = computed ? leaveFunction(walk, start) : leaveByTop(walk);
    return left ? null : StopReason.NO_RULE;
  }

  /**
   * A system call that does not return, such as the one that ends a signal handler: the pc is that
   * behind the instruction, where no function is any more.
   */
  private boolean leaveSystemCall(Walk walk) {
    if (natives.step(walk.registers(), false, walk.stack(), walk.modules()) != null) {
      return false;
    }
    walk.setInterrupted(natives.callerInterrupted());
    return true;
  }

  private boolean readCode(Walk walk) {
    try {
      walk.stack().code().read(walk.pc() - CLONE_WINDOW, code, 0, CLONE_WINDOW);
      return true;
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }

  private static long functionStart(Walk walk) {
    CodeModule module = walk.modules().find(walk.pc());
    return module == null ? 0 : module.functionStart(walk.pc());
  }

  /**
   * Hand-written assembly that has a symbol but says nothing of its frame: how deep that is, the
   * code itself says.
   */
  private boolean leaveFunction(Walk walk, long start) {
    StackDepth.State state = stateAt(walk, start);
    if (hotspot == null || state == null) {
      return false;
    }
    long slot = walk.sp() + state.depth();
    long pc = walk.peekReturnAddress(slot);
    if (!hotspot.callers().isReturnAddress(walk, pc)) {
      return false;
    }
    restore(walk, state, slot);
    walk.popTo(pc, slot + Cpu.WORD);
    return true;
  }

  private static void restore(Walk walk, StackDepth.State state, long slot) {
    int[] slots = state.slots();
    for (int register = 0; register < slots.length; register++) {
      if (slots[register] == StackDepth.UNKNOWN) {
        walk.registers().forget(register);
      } else if (slots[register] > 0 && slots[register] <= state.depth()) {
        walk.registers().set(register, walk.peek(slot - slots[register]));
      }
    }
  }

  private StackDepth.State stateAt(Walk walk, long start) {
    if (generation != walk.modules().generation()) {
      generation = walk.modules().generation();
      states.clear();
    }
    StackDepth.State known = states.get(walk.pc());
    if (known != null) {
      return known;
    }
    StackDepth.State state = computed(walk, start);
    if (state != null) {
      states.put(walk.pc(), state);
    }
    return state;
  }

  private StackDepth.State computed(Walk walk, long start) {
    long pc = walk.pc();
    // Less near the end of what is mapped.
    for (int length = StackDepth.MAX_CODE_BYTES; length > pc - start; length /= 2) {
      try {
        walk.stack().code().read(start, functionCode, 0, length);
        return stackDepth.at(functionCode, length, (int) (pc - start));
      } catch (UnreadableMemoryException e) {
        continue;
      }
    }
    return null;
  }

  /**
   * Hand-written assembly such as libjvm's copy loops, or a call of an address where nothing is: it
   * has pushed nothing if a return address is where a call leaves it.
   */
  private boolean leaveByTop(Walk walk) {
    try {
      long pc = walk.topReturnAddress();
      if (hotspot == null || !hotspot.callers().isReturnAddress(walk, pc)) {
        return false;
      }
      walk.popTo(pc, walk.spBeforeCall());
      return true;
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }
}
