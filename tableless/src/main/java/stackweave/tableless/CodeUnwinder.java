package stackweave.tableless;

import java.util.Arrays;
import stackweave.tableless.code.CallerRule;
import stackweave.tableless.code.Processor;
import stackweave.unwind.Architecture;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.hash.LongTable;
import stackweave.unwind.walk.CodeModule;
import stackweave.unwind.walk.Found;
import stackweave.unwind.walk.NativeFrame;
import stackweave.unwind.walk.NativeUnwinder;

/**
 * Finds callers in native code whose unwind tables are missing or say something impossible:
 * hand-written assembly, what other runtimes generate, code around system calls, a thread's first
 * instructions. It reads the code, tries the ways in the order of trust, and marks each caller with
 * the way that led to it. The walk over mixed stacks asks it before and after the steps of {@link
 * NativeUnwinder}. Its caches are bounded; it is not thread-safe.
 */
public final class CodeUnwinder {
  /** {@link #bytesBelowFp} of a function that is not understood. */
  public static final int UNKNOWN = Processor.UNKNOWN;

  /** What is read before a pc: the system call that has made the thread, and what leads to it. */
  private static final int CLONE_WINDOW = 48;

  /** A register with a value farther up than any frame is long is no frame pointer here. */
  private static final long MAX_FRAME_BYTES = 8L << 20;

  /** How large the frames of functions are at most that begin and end a thread, in words. */
  private static final int FIRST_WORDS = 32;

  /** How much of a function is read for what it puts on its stack when it begins. */
  private static final int MAX_PROLOGUE = 256;

  private static final int FIRST_SIZES = 1 << 8;
  private static final int MAX_SIZES = 1 << 13;

  private final NativeUnwinder natives;
  private final Architecture architecture;
  private final boolean callersKnown;

  /** Null where this processor's code is not read. */
  private final Processor processor;

  private final byte[] code = new byte[CLONE_WINDOW];
  private final byte[] ending = new byte[CLONE_WINDOW];
  private final byte[] prologue = new byte[MAX_PROLOGUE];

  /** {@link Processor#bytesBelowFp} by the functions' starts. */
  private final LongTable<Integer> sizes = new LongTable<>(FIRST_SIZES, MAX_SIZES);

  /** Null where this processor's code is not read, or callers can't be told. */
  private final CallerRules rules;

  private final CallerStep callerStep;
  private int generation;

  /**
   * One with empty caches.
   *
   * @param natives steps by tables
   * @param callersKnown whether a frame can tell its possible callers: not where the virtual
   *     machine is not understood, so that any address may be its code
   */
  public CodeUnwinder(NativeUnwinder natives, boolean callersKnown) {
    this.natives = natives;
    this.architecture = natives.rules().architecture();
    this.callersKnown = callersKnown;
    this.processor = processorOf(architecture);
    this.rules =
        processor == null || !callersKnown
            ? null
            : new CallerRules(processor.paths(), new WrongTables(natives.rules(), processor));
    this.callerStep = new CallerStep(architecture);
  }

  private static Processor processorOf(Architecture architecture) {
    return switch (architecture) {
      case X86_64 -> new stackweave.tableless.x86.NativeCode();
      case AARCH64 -> new stackweave.tableless.aarch64.NativeCode();
      case S390X -> null;
    };
  }

  /**
   * Makes the caller the frame at hand where the tables contradict the code: by the straight way to
   * a return where a module's tables are right at calls only, by all ways in a function whose rows
   * are wrong. One look into a cache for all others.
   */
  public boolean toCallerBeforeTables(NativeFrame frame) throws UnreadableMemoryException {
    CallerRule rule = rules == null ? null : rules.beforeTablesAt(frame);
    return rule != null && callerStep.toCaller(frame, rule);
  }

  /**
   * Makes the caller the frame at hand where the tables say something that can't be used, by code
   * alone, and only if that is no guess.
   */
  public boolean toCallerByCode(NativeFrame frame) throws UnreadableMemoryException {
    return follow(frame, rules == null ? null : rules.forwardAt(frame), false);
  }

  /**
   * Makes the caller the frame at hand by the straight way to a return alone, in code that stays as
   * it is: what leads there is kept by pc.
   *
   * @param code of the frame
   * @throws UnreadableMemoryException if a word that it needs was not copied
   */
  public boolean toCallerStraight(NativeFrame frame, MemoryReader code)
      throws UnreadableMemoryException {
    CallerRule rule = rules == null ? null : rules.straightAt(frame.pc(), code);
    return rule != null && callerStep.toCaller(frame, rule);
  }

  /**
   * Makes the caller the frame at hand where there is no table.
   *
   * @return null, or why there is no caller: {@link StopReason#NO_RULE} if none is found
   * @throws UnreadableMemoryException if a word that it needs was not copied
   */
  public StopReason toCaller(NativeFrame frame) throws UnreadableMemoryException {
    if (processor == null) {
      return StopReason.NO_RULE;
    }
    return frame.interrupted() ? leaveInterrupted(frame) : leaveWaiting(frame);
  }

  /** Leaves a frame that waits for a call to return. */
  private StopReason leaveWaiting(NativeFrame frame) throws UnreadableMemoryException {
    if (!callersKnown) {
      return StopReason.NO_RULE;
    }
    if (leaveToFirst(frame)) {
      return null;
    }
    // Assembly in a library may have left its caller's frame pointer alone, which would skip the
    // caller; generated code, where forward ways are less certain, has frame pointers.
    boolean generated = frame.modules().find(frame.pc() - 1) == null;
    boolean there = frame.modules().isExecutable(frame.pc() - 1);
    if (generated
        && !keepsFp(frame)
        && leaveByFp(frame, there ? Found.FRAME_POINTER : Found.FRAME_POINTER_AT_LEAF)) {
      return null; // a guess where the code is gone, which may not have had frame pointers
    }
    CallerRule rule = rules.forwardAt(frame);
    Found byFp = generated ? Found.FRAME_POINTER_AT_LEAF : Found.FRAME_POINTER;
    boolean left =
        follow(frame, rule, false) || leaveByFp(frame, byFp) || follow(frame, rule, true);
    return left ? null : StopReason.NO_RULE;
  }

  /**
   * Leaves a function that does not return, so that its instructions lead nowhere: musl's that
   * calls the function of a thread and then ends the thread, or one that this has called for that.
   * The nearest return addresses on the stack must be those up to the thread's first frame, so that
   * none is skipped.
   */
  private boolean leaveToFirst(NativeFrame frame) {
    long slot = nextReturnAddress(frame, frame.sp());
    if (slot == 0) {
      return false;
    }
    long pc = frame.peekReturnAddress(slot);
    if (!isFirst(frame, pc) && !isCalledByFirst(frame, pc, slot + Processor.WORD)) {
      return false;
    }
    frame.popTo(pc, slot + Processor.WORD);
    return true;
  }

  /** Whether a caller in the same library was called by the thread's first frame. */
  private boolean isCalledByFirst(NativeFrame frame, long caller, long from) {
    CodeModule module = frame.modules().find(frame.pc() - 1);
    long slot =
        module == null || module != frame.modules().find(caller - 1)
            ? 0
            : nextReturnAddress(frame, from);
    return slot != 0 && isFirst(frame, frame.peekReturnAddress(slot));
  }

  private boolean isFirst(NativeFrame frame, long pc) {
    return natives.isFirst(pc, frame.stack(), frame.modules());
  }

  /** The slot of the nearest return address on the stack; 0 if there is none in a small frame. */
  private static long nextReturnAddress(NativeFrame frame, long from) {
    for (int i = 0; i < FIRST_WORDS; i++) {
      long slot = from + (long) i * Processor.WORD;
      long pc = frame.peekReturnAddress(slot);
      if (pc != 0 && frame.isReturnAddress(pc)) {
        return slot;
      }
    }
    return 0;
  }

  /**
   * Whether generated code leaves the frame pointer alone, as its code says. Asked where it leads
   * to other code: the frame pointers of generated code itself form a chain.
   */
  private boolean keepsFp(NativeFrame frame) {
    long pc = frame.isFpKnown() ? frame.peekReturnAddress(frame.fp() + Processor.WORD) : 0;
    boolean elsewhere = frame.modules().find(pc - 1) != null || frame.isManaged(pc);
    CallerRule rule = elsewhere ? rules.forwardAt(frame) : null;
    return rule != null && !rule.found().isGuess() && rule.keeps(architecture.fp());
  }

  private StopReason leaveInterrupted(NativeFrame frame) throws UnreadableMemoryException {
    boolean read = read(frame, frame.pc() - CLONE_WINDOW, code, CLONE_WINDOW);
    if (read && processor.isSystemCallBefore(code, CLONE_WINDOW)) {
      if (isStackGone(frame)) {
        return StopReason.THREAD_ENTRY;
      }
      if (leaveSystemCall(frame)) {
        return null;
      }
    }
    if (read
        && processor.isCloneWithin(code, CLONE_WINDOW)
        && frame.valueOf(processor.systemCallResult()) == 0) {
      // The new thread, before its first frame; its creator sees its id.
      return StopReason.THREAD_ENTRY;
    }
    if (!callersKnown) {
      return StopReason.NO_RULE;
    }
    CallerRule rule = rules.forwardAt(frame);
    boolean left =
        follow(frame, rule, false)
            || leaveToFirst(frame)
            || follow(frame, rule, true)
            || (read(frame, frame.pc(), code, 1) ? leaveByGuessedFp(frame) : leaveByTop(frame));
    return left ? null : StopReason.NO_RULE;
  }

  /** Leaves by a rule of the code if that is a guess, or, without {@code guess}, if it is none. */
  private boolean follow(NativeFrame frame, CallerRule rule, boolean guess)
      throws UnreadableMemoryException {
    return rule != null && rule.found().isGuess() == guess && callerStep.toCaller(frame, rule);
  }

  /** Leaves by the frame pointer, which is farther up in each frame than in the one before. */
  private boolean leaveByFp(NativeFrame frame, Found how) throws UnreadableMemoryException {
    long fp = frame.fp();
    if (!frame.isFpKnown() || !frame.isOnStack(fp) || fp - frame.sp() > MAX_FRAME_BYTES) {
      return false;
    }
    long pc = frame.read(fp + Processor.WORD) & architecture.addressMask();
    if (!frame.isExpectedCaller(pc)) {
      return false;
    }
    frame.leaveByFp(pc);
    frame.setFound(how);
    return true;
  }

  /** The same as a guess; if the frame pointer leads out of the copy, a search is worth more. */
  private boolean leaveByGuessedFp(NativeFrame frame) {
    try {
      return leaveByFp(frame, Found.FRAME_POINTER_AT_LEAF);
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }

  /**
   * Leaves a system call that does not return, such as the one that ends a signal handler: the pc
   * is behind the instruction, where the function has ended.
   */
  private boolean leaveSystemCall(NativeFrame frame) throws UnreadableMemoryException {
    if (processor.isSignalReturnBefore(code, CLONE_WINDOW)) {
      return leaveSignalReturn(frame);
    }
    if (natives.step(frame.registers(), false, frame.stack(), frame.modules()) != null) {
      return false;
    }
    frame.setInterrupted(natives.callerInterrupted());
    return true;
  }

  /** Whether the thread is in the system calls by which its stack is given back. */
  private boolean isStackGone(NativeFrame frame) {
    byte[] end = processor.endOfStack();
    int first = processor.endOfStackCall();
    return isBehind(end, end.length)
        || isBehind(end, first)
            && read(frame, frame.pc() - first, ending, end.length)
            && Arrays.equals(ending, 0, end.length, end, 0, end.length);
  }

  /** Whether the code before the pc is the beginning of these instructions. */
  private boolean isBehind(byte[] instructions, int bytes) {
    return Arrays.equals(code, CLONE_WINDOW - bytes, CLONE_WINDOW, instructions, 0, bytes);
  }

  /**
   * Leaves the system call by which a signal handler returns. If a function is called that begins
   * behind it, the return address is on top.
   */
  private boolean leaveSignalReturn(NativeFrame frame) throws UnreadableMemoryException {
    if (callersKnown && frame.isReturnAddress(frame.topReturnAddress())
        || natives.leaveSignalFrame(frame.registers(), frame.stack()) != null) {
      return false;
    }
    frame.setInterrupted(true);
    return true;
  }

  private static boolean read(NativeFrame frame, long address, byte[] target, int length) {
    try {
      frame.stack().code().read(address, target, 0, length);
      return true;
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }

  /**
   * Leaves a call of an address without code: nothing was pushed if a return address is where a
   * call leaves it.
   */
  private static boolean leaveByTop(NativeFrame frame) {
    try {
      long pc = frame.topReturnAddress();
      if (!frame.isReturnAddress(pc) || !frame.isCaller(pc)) {
        return false;
      }
      frame.popTo(pc, frame.spBeforeCall());
      return true;
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }

  /**
   * How far below its frame pointer the stack of the waiting function reaches, by the instructions
   * that it begins with.
   *
   * @param start where the function begins
   * @return in bytes, or {@link #UNKNOWN}
   */
  public int bytesBelowFp(NativeFrame frame, long start) {
    if (processor == null) {
      return UNKNOWN;
    }
    forgetOldModules(frame);
    // A function that has not come further has not put more on its stack.
    int length = (int) Math.min(frame.pc() - start, MAX_PROLOGUE);
    long key = length < MAX_PROLOGUE ? frame.pc() : start;
    Integer known = sizes.get(key);
    if (known == null) {
      boolean read = read(frame, start, prologue, length);
      known = read ? processor.bytesBelowFp(prologue, length) : UNKNOWN;
      sizes.put(key, known);
    }
    return known;
  }

  private void forgetOldModules(NativeFrame frame) {
    if (generation != frame.modules().generation()) {
      generation = frame.modules().generation();
      sizes.clear();
    }
  }
}
