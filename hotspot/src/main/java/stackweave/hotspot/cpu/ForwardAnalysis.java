package stackweave.hotspot.cpu;

import java.util.function.LongPredicate;
import stackweave.unwind.MemoryReader;

/**
 * Finds a function's return address by following its instructions forward to where it returns. For
 * code without unwind information, and for interrupted functions whose information is right at
 * calls only. Reads nothing but code, so that a result holds for all samples of a pc. Reused; not
 * thread-safe.
 */
public interface ForwardAnalysis {
  /** The most instructions that the straight way to a return may have. */
  int MAX_STRAIGHT = 24;

  /** The most instructions that are followed in all. */
  int MAX_INSTRUCTIONS = 3_000;

  /**
   * By the straight way: no branch and no call up to a return, or to a jump to another function, as
   * calls in tail position are.
   *
   * @param pc of the next instruction
   * @param functions tells of an address whether another function begins there, called with nothing
   *     on the stack but what a call leaves there
   * @return null if there is none
   */
  CallerRule straight(long pc, MemoryReader code, LongPredicate functions);

  /** Where the last straight way that gave a rule has its return, or its jump. */
  long straightEnd();

  /**
   * By all ways: first those without calls, then those over calls, then those to a jump elsewhere.
   *
   * @param pc of the next instruction: an interrupted one, or that behind a call
   * @param interrupted whether the instruction was interrupted
   * @return null if no way leads to a return, or if they disagree
   */
  CallerRule forward(long pc, boolean interrupted, MemoryReader code);
}
