package stackweave.unwind.walk;

import stackweave.unwind.MemoryReader;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Finds the callers of native code that unwind tables say nothing about, or something that can't
 * be: hand-written assembly, what other runtimes generate, code around system calls, a thread's
 * first instructions. A walk over mixed stacks asks it around the steps of {@link NativeUnwinder}.
 * It is not thread-safe.
 */
public interface TablelessUnwinder {
  /** {@link #bytesBelowFp} of a function that is not understood. */
  int UNKNOWN = -1;

  /** Makes one, with empty caches. */
  @FunctionalInterface
  interface Factory {
    /**
     * Makes one.
     *
     * @param natives steps by tables
     * @param callersKnown whether a frame can tell its possible callers: not where the virtual
     *     machine is not understood, so that any address may be its code
     */
    TablelessUnwinder open(NativeUnwinder natives, boolean callersKnown);
  }

  /**
   * Makes the caller the frame at hand where the tables contradict the code: by the straight way to
   * a return where a module's tables are right at calls only, by all ways in a function whose rows
   * are wrong. One look into a cache for all others.
   */
  boolean toCallerBeforeTables(NativeFrame frame) throws UnreadableMemoryException;

  /**
   * Makes the caller the frame at hand where the tables say something that can't be used, by code
   * alone, and only if that is no guess.
   */
  boolean toCallerByCode(NativeFrame frame) throws UnreadableMemoryException;

  /**
   * Makes the caller the frame at hand where there is no table.
   *
   * @return null, or why there is no caller: {@link StopReason#NO_RULE} if there is no telling
   * @throws UnreadableMemoryException if what says it was not copied
   */
  StopReason toCaller(NativeFrame frame) throws UnreadableMemoryException;

  /**
   * Makes the caller the frame at hand by the straight way to a return alone, in code that stays as
   * it is: what leads there is kept by pc.
   *
   * @param code of the frame
   * @throws UnreadableMemoryException if what says it was not copied
   */
  boolean toCallerStraight(NativeFrame frame, MemoryReader code) throws UnreadableMemoryException;

  /**
   * How far below its frame pointer the stack of the waiting function reaches, by the instructions
   * that it begins with.
   *
   * @param start where the function begins
   * @return in bytes, or {@link #UNKNOWN}
   */
  int bytesBelowFp(NativeFrame frame, long start);
}
