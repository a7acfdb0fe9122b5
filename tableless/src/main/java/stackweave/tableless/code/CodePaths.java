package stackweave.tableless.code;

import java.util.HashSet;
import java.util.Set;
import java.util.function.LongPredicate;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.walk.Found;

/**
 * Finds a function's return address by following its instructions forward to where it returns: all
 * ways from a pc on, each instruction once for each stack and frame pointer that it is reached
 * with. It serves code without unwind information, and interrupted functions whose information is
 * right at calls only. It reads nothing but code, so that a result holds for all samples of a pc.
 * The class of a processor executes the instructions. One object is reused for all analyses; it is
 * not thread-safe.
 */
public abstract class CodePaths {
  /** The most instructions that the straight way to a return may have. */
  public static final int MAX_STRAIGHT = 24;

  /** The most instructions that are followed in all. */
  public static final int MAX_INSTRUCTIONS = 3_000;

  /** Ways that wait while another one is followed. */
  private static final int MAX_WAITING = 128;

  private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

  /** The code; at the state's pc when {@link #execute} is called. */
  protected final CodeWindow code;

  /** The values that the state has. */
  protected final SymbolicValues values;

  /** The state of the way that is followed. */
  protected final SymbolicState state;

  private final CallerExits exits;
  private final SymbolicState[] waiting = new SymbolicState[MAX_WAITING];
  private final int stackPointer;
  private final int framePointer;

  /** Instructions with the stack and frame pointers that they were reached with. */
  private final Set<Long> visited = new HashSet<>();

  private int waitingCount;
  private int instructions;
  private boolean straight;

  /** Tells where other functions begin. */
  private LongPredicate functions;

  /** The pc of the instruction that was executed last. */
  private long lastPc;

  private boolean interrupted;
  private boolean passingCalls;
  private boolean metCalls;

  /**
   * @param longest how many bytes an instruction has at most
   * @param numbers DWARF numbers of the registers of a state
   * @param stackPointer its index in a state
   * @param framePointer its index in a state
   * @param saved indices of the registers of {@code Architecture.calleeSaved}
   * @param pushed whether calls push return addresses
   */
  protected CodePaths(
      int longest, int[] numbers, int stackPointer, int framePointer, int[] saved, boolean pushed) {
    this.code = new CodeWindow(longest);
    this.values = new SymbolicValues(stackPointer, framePointer);
    this.exits = new CallerExits(values, numbers, saved, pushed);
    this.stackPointer = stackPointer;
    this.framePointer = framePointer;
    this.state = new SymbolicState(values, numbers.length);
    for (int i = 0; i < MAX_WAITING; i++) {
      waiting[i] = new SymbolicState(values, numbers.length);
    }
  }

  /**
   * Executes the instruction at the state's pc, and moves the state to the next one.
   *
   * @param index of the instruction in {@link #code}
   * @return false where the way ends
   */
  protected abstract boolean execute(int index);

  /**
   * By the straight way: no branch and no call up to a return, or to a jump to another function, as
   * calls in tail position are.
   *
   * @param pc of the next instruction
   * @param functions tells of an address whether another function begins there, called with nothing
   *     on the stack but what a call leaves there
   * @return null if there is none
   */
  public final CallerRule straight(long pc, MemoryReader memory, LongPredicate functions) {
    code.begin(memory);
    values.begin();
    straight = true;
    interrupted = true;
    this.functions = functions;
    follow(pc, MAX_STRAIGHT);
    return exits.rule(CallerExits.RETURN, Found.STRAIGHT);
  }

  /**
   * By all ways: first those without calls, then those over calls, then those to a jump elsewhere.
   *
   * @param pc of the next instruction: an interrupted one, or that behind a call
   * @param interrupted whether the instruction was interrupted
   * @param functions tells of an address whether a function begins there: a call right before it
   *     does not return
   * @return null if no way leads to a return, or if they disagree
   */
  public final CallerRule forward(
      long pc, boolean interrupted, MemoryReader memory, LongPredicate functions) {
    code.begin(memory);
    values.begin();
    straight = false;
    this.functions = functions;
    this.interrupted = interrupted;
    passingCalls = !interrupted;
    follow(pc, MAX_INSTRUCTIONS);
    Found how = interrupted ? Found.FORWARD : Found.OVER_CALLS;
    if (exits.has(CallerExits.RETURN)) {
      return exits.rule(CallerExits.RETURN, how);
    }
    if (exits.has(CallerExits.ENTRY)) {
      return exits.rule(CallerExits.ENTRY, how);
    }
    if (metCalls && !passingCalls) {
      passingCalls = true;
      follow(pc, MAX_INSTRUCTIONS);
      if (exits.has(CallerExits.RETURN)) {
        return exits.rule(CallerExits.RETURN, Found.OVER_CALLS);
      }
    }
    return exits.rule(CallerExits.JUMP, Found.JUMP);
  }

  /** Where the last straight way that gave a rule has its return, or its jump. */
  public final long straightEnd() {
    return lastPc;
  }

  private void follow(long pc, int limit) {
    exits.clear();
    visited.clear();
    metCalls = false;
    instructions = 0;
    waitingCount = 0;
    state.begin(pc);
    while (true) {
      followOne(limit);
      if (waitingCount == 0 || instructions >= limit) {
        return;
      }
      state.copyFrom(waiting[--waitingCount]);
    }
  }

  private void followOne(int limit) {
    boolean more = true;
    while (more && instructions < limit) {
      lastPc = state.pc;
      int index = visit(state.pc) ? code.find(state.pc) : -1;
      instructions++;
      more = index >= 0 && execute(index);
    }
  }

  /** Whether the instruction was not reached before with this stack and frame pointer. */
  private boolean visit(long pc) {
    long key =
        (pc * GOLDEN_RATIO ^ state.registers[stackPointer]) * GOLDEN_RATIO
            ^ state.registers[framePointer] * 31;
    return visited.add(key);
  }

  /**
   * Branches: a way goes on at the target, too. The one further on in the code is followed first:
   * it leads out of loops to the function's return before the limit of instructions is met. Returns
   * whether the way at hand goes on.
   */
  protected final boolean branch(long target) {
    if (straight) {
      return false;
    }
    long next = state.pc;
    if (waitingCount < MAX_WAITING) {
      SymbolicState other = waiting[waitingCount++];
      other.copyFrom(state);
      other.pc = Math.min(next, target);
    }
    state.pc = Math.max(next, target);
    return true;
  }

  /** The way goes on at the target alone. */
  protected final boolean jump(long target) {
    if (straight && functions.test(target)) {
      return tailCall();
    }
    state.pc = target;
    return true;
  }

  /** The function jumps to another one, which returns in its place. Returns false. */
  protected abstract boolean tailCall();

  /** Whether the way goes on behind a call, at the state's pc. */
  protected final boolean call() {
    metCalls = true;
    return passingCalls && !straight && !functions.test(state.pc);
  }

  /**
   * The function returns.
   *
   * @param returnAddress where to
   * @param sp the caller's
   */
  protected final boolean returns(long returnAddress, long sp) {
    if (isReturnAddress(returnAddress)) {
      exits.add(CallerExits.RETURN, returnAddress, sp, state);
    }
    return false;
  }

  /** Whether a value may be a return address: a word of the stack, or an unchanged register. */
  private boolean isReturnAddress(long value) {
    return values.isLoaded(value) || interrupted && values.isInitial(value);
  }

  /** Notes that a function begins here, with its return address there. The way goes on. */
  protected final void entry(long returnAddress, long sp) {
    if (interrupted && isReturnAddress(returnAddress)) {
      exits.add(CallerExits.ENTRY, returnAddress, sp, state);
    }
  }

  /** The function jumps to where the code doesn't say, perhaps with its return address there. */
  protected final boolean jumpsElsewhere(long returnAddress, long sp) {
    if (isReturnAddress(returnAddress)) {
      exits.add(CallerExits.JUMP, returnAddress, sp, state);
    }
    return false;
  }

  /**
   * The way goes where a word of data leads. Where nothing else was done, that is a stub of a
   * linkage table: the function has been called, and not begun.
   *
   * @param longestStub in instructions
   */
  protected final boolean jumpsThroughData(long returnAddress, long sp, int longestStub) {
    if (interrupted && !straight && instructions <= longestStub) {
      if (isReturnAddress(returnAddress)) {
        exits.add(CallerExits.ENTRY, returnAddress, sp, state);
      }
      return false;
    }
    return jumpsElsewhere(returnAddress, sp);
  }

  /** Registers that calls don't keep are lost. */
  protected final void lose(int[] lost) {
    for (int register : lost) {
      state.registers[register] = SymbolicValues.UNKNOWN;
    }
  }
}
